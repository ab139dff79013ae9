/**
 * What commands do, by name. Grouped by what they do at their least; options and verbs that do more are named with it. Only
 * what stands here runs by itself: a command, verb or build target that is missing is asked about.
 */

import type { ReasonName } from './reasons.ts';

export interface CommandRule {
  does: ReasonName;
  /** Options that do more, by reason. Long ones also match abbreviated, short ones also in a cluster: -rf. */
  options?: Partial<Record<ReasonName, string>>;
  /** The same for a command with verbs, before the verb and after any of them. */
  everywhere?: CommandRule['options'];
  /** Options of a build that leave it what it is, besides those of all builds: with others it is asked about. */
  mild?: string;
  /** Long options begin with one dash (find, java): short ones do not form clusters. */
  oneDash?: boolean;
  /** Options that take the next word as their value: that word is no operand. */
  values?: string;
  /** The first operand decides: git push. Others than these get `does`. */
  verbs?: Readonly<Record<string, ReasonName | CommandRule>>;
  /** Which operands are written. */
  writes?: 'all' | 'last' | 'second';
  /** Any other operand is asked about (build targets). */
  operands?: string;
  /** Without operands, and with no other options than these, it only reads: git branch -a. */
  lists?: string;
}

const table = new Map<string, CommandRule>();

function add(names: string, rule: ReasonName | CommandRule): void {
  for (const name of names.split(/\s+/)) table.set(name, typeof rule === 'string' ? { does: rule } : rule);
}

function verbs(names: string, rule: ReasonName | CommandRule): Record<string, ReasonName | CommandRule> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, rule]));
}

export function ruleOf(name: string): CommandRule | undefined {
  return table.get(name);
}

// ---- reading -------------------------------------------------------------------------------------------

add('ls dir vdir cat head tail wc nl cut tr paste fold fmt pr expand unexpand rev tac od strings comm join grep egrep fgrep', 'reads');
add('stat du df pwd echo true false : which whereis basename dirname realpath readlink cal uptime whoami id groups', 'reads');
add('who w arch nproc free ps pgrep lsblk lscpu printenv locale cmp md5sum sha1sum sha224sum sha256sum sha384sum sha512sum', 'reads');
add('b2sum cksum sum jq column seq sleep cd pushd popd dirs exit return break continue shift uname tty logname zcat', 'reads');
add('numfmt factor tsort yes getconf apropos whatis tokei hexdump type times', 'reads');
// In bash the name of a variable may hold a command: test -v 'a[$(rm x)]'.
add('test', { does: 'reads', options: { code: '-v -R' }, oneDash: true });
add('hash', { does: 'reads', options: { loader: '-p' } });
add('jobs', { does: 'reads', options: { code: '-x' } });
add('wait', { does: 'reads', options: { variables: '-p' } });
add('printf', { does: 'reads', options: { variables: '-v' } });
add('sort', { does: 'reads', options: { writes: '-o --output', code: '--compress-program', option: '-T --temporary-directory' } });
add('uniq', { does: 'reads', writes: 'second', values: '-f -s -w --skip-fields --skip-chars --check-chars' });
add('xxd', { does: 'reads', writes: 'second', values: '-c -g -l -s -o' });
add('rg', { does: 'reads', options: { code: '--pre --hostname-bin', option: '-z --search-zip --pre-glob' } });
add('tree', { does: 'reads', options: { writes: '-o -R' } });
add('diff', { does: 'reads', options: { option: '--to-file --from-file' } });
add('date', { does: 'reads', options: { system: '-s --set' } });
add('hostname', { does: 'reads', options: { system: '-F --file -b' }, operands: '' });
add('file', { does: 'reads', options: { writes: '-C --compile', option: '-m --magic-file' } });
add('man', { does: 'reads', options: { code: '-P --pager -H --html -X -C --config-file' } });
add('fd fdfind', { does: 'reads', options: { code: '-x --exec -X --exec-batch' } });
add('find', {
  does: 'reads',
  oneDash: true,
  options: { destroys: '-delete', code: '-ok -okdir', writes: '-fls -fprint -fprint0 -fprintf' },
});
add('base64 base32', 'reads');
add('zipinfo', 'reads');

// ---- changing files --------------------------------------------------------------------------------------

add('mkdir touch rmdir unlink mkfifo', { does: 'writes', writes: 'all', values: '-m --mode -d --date -t -r --reference' });
add('tee sponge', { does: 'writes', writes: 'all' });
add('cp', { does: 'writes', writes: 'last', options: { outside: '-t --target-directory' }, values: '-S --suffix' });
add('mv', { does: 'writes', writes: 'all', options: { outside: '-t --target-directory' }, values: '-S --suffix' });
add('ln', { does: 'writes', writes: 'all' });
add('link', { does: 'writes', writes: 'last' });
add('install', {
  does: 'writes',
  writes: 'last',
  values: '-m --mode -o --owner -g --group',
  options: { outside: '-t --target-directory' },
});
add('rm', { does: 'writes', writes: 'all', options: { destroys: '-r -R --recursive --no-preserve-root' } });
add('chmod', { does: 'writes', writes: 'all', options: { destroys: '-R --recursive' } });
add('chown chgrp', { does: 'privilege', writes: 'all', options: { destroys: '-R --recursive' } });
add('truncate', { does: 'destroys', writes: 'all', values: '-s --size -r --reference' });
add('unzip patch split csplit zip gzip gunzip bzip2 bunzip2 xz unxz zstd 7z 7za unrar dos2unix unix2dos rename', 'writes');
add('shred wipe srm scrub', { does: 'destroys', writes: 'all' });
add('dd', 'destroys');
const TAR_OPTIONS = '-I -F --to-command --checkpoint-action --use-compress-program --info-script --new-volume-script --rsh-command';
add('tar bsdtar', { does: 'writes', options: { code: TAR_OPTIONS, destroys: '--remove-files', outside: '-P --absolute-names' } });
add('cpio', 'writes');
add('rsync', { does: 'network', options: { code: '-e --rsh --rsync-path', destroys: '--delete --remove-source-files' } });
add('pip3 pip pipx uv conda mamba poetry', {
  does: 'network',
  everywhere: { code: '--python', writes: '--log --log-file', option: '--directory --project -C' },
  verbs: { ...verbs('list show freeze check', 'reads'), ...verbs('uninstall remove', 'destroys') },
});

// ---- git ---------------------------------------------------------------------------------------------------

/** Options that name a program to run, or write a file, whatever the verb. */
const GIT_OPTIONS = { code: '--ext-diff --textconv --upload-pack --receive-pack --exec -O --open-files-in-pager', writes: '--output' };

add('git', {
  does: 'settings',
  values: '-C --git-dir --work-tree --namespace -c',
  options: { code: '-c --exec-path --config-env' },
  everywhere: GIT_OPTIONS,
  verbs: {
    ...verbs('status log show diff blame shortlog describe rev-parse rev-list ls-files ls-tree cat-file name-rev grep', 'reads'),
    ...verbs('merge-base count-objects version help whatchanged diff-tree diff-index cherry show-ref for-each-ref var', 'reads'),
    submodule: { does: 'network', verbs: { status: 'reads', foreach: 'code' } },
    ...verbs('fetch pull clone ls-remote lfs send-email svn p4 daemon', 'network'),
    push: { does: 'network', options: { destroys: '-f --force --force-with-lease --force-if-includes -d --delete --mirror --prune' } },
    reset: { does: 'settings', options: { destroys: '--hard --merge --keep' } },
    clean: { does: 'destroys', values: '-e --exclude', options: { reads: '-n --dry-run' } },
    branch: {
      does: 'settings',
      lists: '-a -r -v -vv -l --list --all --remotes --verbose --show-current',
      options: { destroys: '-d -D --delete -f --force -M -C' },
    },
    tag: { does: 'settings', lists: '-l --list -n', options: { destroys: '-d --delete -f --force' } },
    checkout: { does: 'settings', options: { destroys: '-f --force -- . -B' } },
    switch: { does: 'settings', options: { destroys: '-f --force --discard-changes -C' } },
    restore: 'destroys',
    stash: { does: 'settings', verbs: { list: 'reads', show: 'reads', drop: 'destroys', clear: 'destroys' } },
    reflog: { does: 'reads', verbs: { expire: 'destroys', delete: 'destroys' } },
    worktree: { does: 'settings', verbs: { list: 'reads', remove: 'destroys', prune: 'destroys' } },
    remote: { does: 'settings', lists: '-v --verbose', verbs: { show: 'network', update: 'network', prune: 'network' } },
    rm: 'destroys',
    rebase: { does: 'settings', options: { code: '-x --exec' } },
    ...verbs('filter-branch filter-repo gc prune update-ref replace fast-import', 'destroys'),
    ...verbs('bisect difftool mergetool', { does: 'settings', verbs: { run: 'code' } }),
    ...verbs('config init', 'sensitive'),
  },
});
add('gh glab hub', 'network');

// ---- builds and tests ------------------------------------------------------------------------------------------

const TARGETS = 'all build test tests check lint format-check typecheck types compile unit bench docs';
add('make gmake ninja', { does: 'builds', operands: TARGETS, options: { code: '--eval', option: '-f --file -C --directory -I' } });
const packages: CommandRule = {
  does: 'network',
  verbs: {
    ...verbs('test t', { does: 'builds', operands: '' }),
    ...verbs('run run-script', { does: 'script', verbs: verbs(TARGETS, { does: 'builds', operands: '' }) }),
    ...verbs('ls list ll root prefix bin', 'reads'),
    ...verbs('exec x dlx create init', 'code'),
    ...verbs('uninstall remove rm un unlink', 'destroys'),
    ...verbs('config set publish unpublish login adduser token owner access deprecate', 'system'),
  },
  everywhere: { code: '--script-shell --node-options --shell --viewer', option: '--prefix -C --dir --cwd' },
};
add('npm pnpm yarn bun', packages);
add('cargo', {
  does: 'network',
  verbs: {
    ...verbs('build b check c test t clippy doc bench fmt', { does: 'builds', mild: '-p --package --bin --example --bench -r' }),
    ...verbs('tree metadata version', 'reads'),
    run: 'script',
    install: 'system',
  },
  everywhere: { code: '--config', option: '--target-dir --manifest-path -C -Z' },
});
add('go', {
  does: 'network',
  verbs: {
    ...verbs('build test vet', {
      does: 'builds',
      mild: '-race -cover -run -skip -count -short -bench -benchmem -failfast -json -parallel -timeout -tags -p',
    }),
    ...verbs('version list doc', 'reads'),
    run: 'script',
    generate: 'code',
  },
  everywhere: { code: '-exec -toolexec -vettool -overlay', outside: '-o -C' },
  oneDash: true,
});
add('tsc eslint biome prettier ruff mypy flake8 pylint pytest jest vitest mocha ava tox phpunit rspec ctest', {
  does: 'builds',
  options: {
    writes: '--fix --write --unsafe --outFile -w --in-place',
    option: '--outDir --config -c --rootdir --plugin -p --rulesdir --resolve-plugins-relative-to',
  },
});
add('mvn gradle ./gradlew gradlew bazel cmake meson dotnet swift', {
  does: 'unknown',
  verbs: verbs('build test compile check', { does: 'builds', operands: 'build test compile check' }),
});
add('gcc g++ cc c++ clang clang++ javac rustc', { does: 'writes', options: { code: '-B -wrapper -fplugin' }, oneDash: true });

// ---- the network -------------------------------------------------------------------------------------------------

add('curl wget aria2c http https xh ssh scp sftp ftp tftp telnet nc ncat netcat socat ping ping6 dig nslookup host whois', 'network');
add('traceroute tracepath mtr nmap openssl aws gcloud az gsutil s3cmd rclone ftpget lftp lynx w3m links elinks mosh', 'network');
add('mail mailx sendmail mutt msmtp swaks redis-cli mongosh mongo mysqldump pg_dump ldapsearch smbclient nmcli curlie', 'network');
add('composer bundle gem cpan luarocks nuget deno', 'network');

// ---- databases, containers, clouds: their texts and verbs act somewhere else --------------------------------------------

add('mysql psql sqlite3 mariadb sqlcmd clickhouse-client duckdb', 'code');
add('docker podman nerdctl kubectl helm terraform tofu pulumi ansible ansible-playbook vagrant virsh lxc heroku vercel fly', {
  does: 'network',
  verbs: {
    ...verbs('rm rmi prune delete destroy kill stop down drain uninstall volume system apply', 'destroys'),
    ...verbs('run exec cp', 'privilege'),
  },
});

// ---- the system ------------------------------------------------------------------------------------------------------------

add('sudo doas su pkexec runuser setpriv capsh gosu chroot unshare nsenter bwrap firejail systemd-nspawn machinectl', 'privilege');
add('setcap chattr setfacl passwd chpasswd usermod useradd adduser userdel groupadd groupmod gpasswd visudo vipw newgrp sg', 'privilege');
add('mount umount swapon swapoff losetup modprobe insmod rmmod depmod sysctl setenforce aa-disable kexec dmsetup lvremove', 'system');
add('mkfs mke2fs mkswap fdisk sfdisk gdisk parted wipefs blkdiscard hdparm nvme badblocks cryptsetup vgremove pvremove', 'device');
add('shutdown reboot halt poweroff init telinit', 'system');
add('systemctl service initctl rc-service launchctl loginctl journalctl timedatectl hostnamectl localectl update-rc.d', 'system');
add('apt apt-get aptitude dpkg yum dnf rpm zypper pacman apk brew port snap flatpak nix nix-env emerge pkg softwareupdate', 'system');
add('crontab at batch atq atrm anacron', 'system');
add('iptables ip6tables nft ufw firewall-cmd ip ifconfig route tc arp ethtool iw', 'system');
add('defaults dscl csrutil spctl tccutil nvram diskutil security pmset scutil', 'system');
add('kill', { does: 'processes', options: { reads: '-l -L --list --table' } });
add('killall fuser', { does: 'processes', options: { reads: '-l -V --list --version' } });
add('pkill killall5 skill', 'processes');
add('gdb lldb strace ltrace dtrace bpftrace perf tcpdump', 'privilege');
add('export declare typeset readonly local unset set shopt umask ulimit trap bind enable complete disown bg fg read mapfile', 'variables');
add('readarray getopts let history', 'variables');
add('reset clear tput stty', 'reads');

// ---- running texts as programs -----------------------------------------------------------------------------------------------

add(
  'eval source . alias fc busybox toybox script expect osascript powershell pwsh cmd less more npx pnpx bunx uvx ex ed vi vim nvim',
  'code',
);
add('emacs nano m4 gnuplot dc bc entr parallel watch rlwrap screen tmux dbus-send qemu wine', 'code');

/** Shells: what they read is a command text that is judged in its turn. */
export const SHELLS = new Set('sh bash dash zsh ksh mksh ash fish csh tcsh rbash bash5'.split(' '));

/** Other interpreters, and the options by which they take a program as text. */
export const INTERPRETERS: Readonly<Record<string, string>> = {
  python: '-c',
  perl: '-e -E -p -n -i',
  ruby: '-e -p -n -i',
  node: '-e -p --eval --print -r --require --import --loader',
  nodejs: '-e -p --eval --print -r --require --import --loader',
  php: '-r -B -R -E',
  lua: '-e',
  Rscript: '-e',
  julia: '-e -E',
  tclsh: '',
  groovy: '-e',
  scala: '-e',
  java: '',
  elixir: '-e',
  ghc: '-e',
  raku: '-e',
};

/** Commands that run another: how many words of their own come first, and their options with a value. */
export interface WrapperRule {
  operands: number;
  values?: string;
  /** Its rest is a text for a shell, not words. */
  text?: true;
  does?: ReasonName;
  /** It adds words that are not known. */
  adds?: true;
  /** Options of its own that do more, by reason. */
  options?: CommandRule['options'];
}
export const WRAPPERS: Readonly<Record<string, WrapperRule>> = {
  env: { operands: 0, values: '-u --unset -C --chdir' },
  command: { operands: 0 },
  builtin: { operands: 0 },
  exec: { operands: 0, values: '-a' },
  time: { operands: 0, values: '-f --format -o --output', options: { writes: '-o --output' } },
  coproc: { operands: 0, does: 'background' },
  nohup: { operands: 0, does: 'background' },
  setsid: { operands: 0, does: 'background' },
  'systemd-run': { operands: 0, does: 'system' },
  nice: { operands: 0, values: '-n --adjustment' },
  ionice: { operands: 0, values: '-c -n -p' },
  stdbuf: { operands: 0, values: '-i -o -e' },
  timeout: { operands: 1, values: '-s --signal -k --kill-after' },
  taskset: { operands: 1 },
  chrt: { operands: 1 },
  flock: { operands: 1, values: '-w -E', does: 'writes' },
  xargs: {
    operands: 0,
    values: '-I -n -P -L -d -E -s -a --arg-file --max-args --max-procs --replace --delimiter',
    adds: true,
    options: { unresolved: '-a --arg-file' },
  },
  sudo: { operands: 0, values: '-u -g -h -p -C -T -R -D --user --group --prompt', does: 'privilege' },
  doas: { operands: 0, values: '-u -C', does: 'privilege' },
  su: { operands: 99, does: 'privilege' },
  runuser: { operands: 0, values: '-u -g -G', does: 'privilege' },
  chroot: { operands: 1, does: 'privilege' },
  strace: { operands: 0, values: '-e -o -p -s -u', does: 'privilege' },
  watch: { operands: 0, values: '-n --interval -d', text: true, does: 'background' },
  parallel: { operands: 0, values: '-j --jobs -a', text: true, does: 'code' },
  ssh: { operands: 1, values: '-p -i -l -o -F -J -L -R -D -b -c -e -m -w -W', text: true, does: 'network' },
};

/** Variables that decide which program or library runs, or what it does first. */
export const LOADERS =
  /^(?:PATH|LD_\w+|DYLD_\w+|BASH_ENV|ENV|IFS|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|CDPATH|PYTHON\w+|NODE_\w+|PERL\w+|RUBY\w+|JAVA\w*|_JAVA_OPTIONS|GIT_\w+|SSH_\w+|EDITOR|VISUAL|PAGER|MANPAGER|LESS\w+|BROWSER|HOME|SHELL|HERMES_\w+|npm_\w+|\w*(?:_PROXY|_proxy))$/;
/** Variables that change words and colours only. */
export const HARMLESS = /^(?:LC_\w+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|TERM|CI)$/;
