/** One file out of a zip archive (a wheel is one), as a stream: nothing is held in memory. */

import type { Readable } from 'node:stream';
import yauzl from 'yauzl';

/** Rejects when the archive cannot be read or has no such member. `bytes`: of the unpacked member; `close` releases the archive's file. */
export function openEntry(archive: string, member: string): Promise<{ stream: Readable; bytes: number; close: () => void }> {
  return new Promise((done, failed) => {
    yauzl.open(archive, { lazyEntries: true, autoClose: false }, (openError, zip) => {
      if (openError) return failed(openError);
      const fail = (error: Error) => {
        zip.close();
        failed(error);
      };
      zip.once('error', fail);
      zip.once('end', () => fail(new Error(`${member} is not in the archive`)));
      zip.on('entry', (entry: yauzl.Entry) => {
        if (entry.fileName !== member) return zip.readEntry();
        zip.openReadStream(entry, (readError, stream) =>
          readError ? fail(readError) : done({ stream, bytes: entry.uncompressedSize, close: () => zip.close() }),
        );
      });
      zip.readEntry();
    });
  });
}
