/** Actions that answers claim, in both languages, and by what words a tool shows that it does such a thing. */

export interface Action {
  /** Past forms in English, verbs in Chinese: alternatives of a pattern. */
  did: string;
  zh: string;
  /** What a user says who wants it done. */
  asks: RegExp;
  /** Words of tools that do it. */
  tool: RegExp;
  /** Also said of texts in the talk itself: it is an action only where such a thing is named. */
  thing?: RegExp;
  /** Every call bears it out. */
  byAll?: true;
}

/** Requests for a text: "I have sent" in a draft is no claim. */
export const TEXT_WORK =
  /\b(?:draft|compose|translate|rewrite|rephrase|proofread|paraphrase|summari[sz]e|write (?:me )?(?:an? |the |some )?(?:[\w-]+ ){0,3}?(?:e-?mail|letter|message|text|reply|poem|story|essay|paragraph|sentence|dialogue|note to|announcement|post|report|script|example)|what does .* mean|how (?:do|would) (?:you|i) say|example (?:of|sentence))\b|写一?[封篇段首句个份][^，。]{0,12}(?:信|邮件|短信|文|诗|故事|话|稿|通知|公告|消息|总结|作文|句子|对话|范文)|草拟|起草|拟一?[份封]|翻译|润色|改写|造句|总结|概括|摘要|怎么说|什么意思|例句|模板|去重|排序|改得|换个说法/iu;

/** Things outside of the talk. */
const OUTSIDE =
  /\b(?:files?|folders?|director(?:y|ies)|disk|drive|notes?\b|notebook|reminders?|alarms?|timers?|calendar|events?|meetings?|appointments?|database|records?|accounts?|profiles?|users?|tickets?|issues?|branch(?:es)?|repositor(?:y|ies)|server|cart|basket|playlist|contacts?|address book|to-?do|task list|tasks?|orders?|e-?mails?|messages?|inbox|settings?|passwords?|subscription|backup|system|[a-z_][\w-]*\.[a-z]{1,5})\b|文件|文件夹|目录|磁盘|笔记|备忘|提醒|闹钟|定时|日历|日程|会议|活动|数据库|记录|账户|账号|资料|用户|工单|分支|仓库|服务器|购物车|歌单|联系人|通讯录|待办|任务|订单|邮件|消息|设置|密码|订阅|备份|系统|地址|[\w一-鿿-]+\.[a-z]{1,5}(?![a-z])/iu;

export const ACTIONS: readonly Action[] = [
  {
    did: 'sent|e-?mailed|mailed|messaged|texted|forwarded|replied|notified|posted|published|tweeted',
    zh: '发送|发出|寄出|发给|发到|发布|转发|回复|群发|通知|发(?=了|过)',
    asks: /\b(?:send|e-?mail|mail|message|text|forward|reply|notify|post|publish|tell|inform|tweet|remind)\b|发|寄|通知|告诉|回复|转告|告知/iu,
    tool: /\b(?:send|e-?mails?|mail(?:er)?|messages?|sms|text|posts?|notif\w*|notices?|forward|reply|replies|publish|share|tweet|slack|chat|call|webhook|alert)\b|发送|邮件|短信|消息|通知|发布|转发|回复/iu,
  },
  {
    did: 'deleted|erased|wiped|purged|emptied',
    zh: '删除(?!重复|了?多余)|删掉|删(?=了)|清空|清除',
    asks: /\b(?:delete|remove|erase|clear|wipe|purge|empty|clean|get rid)\b|删|清空|清除|移除|清理/iu,
    tool: /\b(?:delete|deletes|remove|removes|erase|clear|purge|drop|trash|clean|rm)\b|删除|清空|移除|清除|清理/iu,
  },
  {
    did: 'saved|stored|archived|backed up',
    zh: '保存|存入|存到|存好|存(?=了)|写入|写进|写到|备份|归档',
    asks: /\b(?:save|store|write|archive|back ?up|record|note|remember|keep|put|export)\b|保存|存|写|备份|归档|记|导出/iu,
    tool: /\b(?:save|saves|store|stores|write|writes|set|put|notes?|remember|create|creates|add|adds|insert|record|records|upload|archive|backup|export|update|edit|append)\b|保存|写|记|存|创建|添加|备份|更新/iu,
  },
  {
    did: 'booked|reserved|scheduled|rescheduled',
    zh: '预订|预定|预约|订好|订(?=了)|定好|约好|安排好',
    asks: /\b(?:book|reserve|schedule|reschedule|arrange|appointment|order|set up|plan)\b|订|预约|安排|约|定/iu,
    tool: /\b(?:book|books|booking|reserv\w*|schedul\w*|appointments?|orders?|tickets?|calendar|events?|meetings?|create|add)\b|预订|预约|订|安排|日程|日历|会议/iu,
  },
  {
    did: 'paid|transferred|purchased|bought|ordered|refunded|charged|placed (?:the|your|an) order',
    zh: '支付|付款|付清|转账|转(?=了|给)|汇款|购买|买好|买(?=了)|下单|退款|缴费|缴纳|充值',
    asks: /\b(?:pay|transfer|purchase|buy|order|refund|charge|send|top up)\b|付|转|汇|买|下单|退|缴|交|充/iu,
    tool: /\b(?:pay|pays|payments?|transfer|transfers|buy|purchase|orders?|checkout|refunds?|charge|cart|trade|send money|bank\w*|top ?up)\b|支付|付款|转账|汇款|购买|下单|订单|退款|缴|充值/iu,
  },
  {
    did: 'cancell?ed|unsubscribed',
    zh: '取消|退订|撤销',
    asks: /\b(?:cancel|unsubscribe|revoke|call off)\b|取消|退订|撤销|退/iu,
    tool: /\b(?:cancel|cancels|cancellation|delete|remove|refund|unsubscribe|revoke|update)\b|取消|退|撤销|删除/iu,
  },
  {
    did: 'installed|uninstalled|deployed|restarted|rebooted|uploaded|downloaded|executed|submitted',
    zh: '安装|卸载|部署|重启|上传|下载|提交|执行|运行(?=了)|启动',
    asks: /\b(?:install|uninstall|deploy|restart|reboot|upload|download|execute|run|submit|start|launch)\b|安装|卸载|部署|重启|上传|下载|提交|执行|运行|启动/iu,
    tool: /\b(?:run|runs|exec\w*|shell|bash|command|install|deploy|restart|reboot|upload|download|fetch|start|launch|submit|create|send|build|code|python|commit|push|file|apply)\b|运行|执行|安装|部署|重启|上传|下载|提交|启动|命令/iu,
  },
  {
    did: 'turned (?:on|off|up|down)|turned [\\w ]{1,30} (?:on|off)|switched (?:on|off)|switched [\\w ]{1,30} (?:on|off)|locked|unlocked|dimmed|set (?:the|an?|your) (?:[\\w:]+ ){0,3}?(?:alarm|timer|reminder|thermostat)',
    zh: '(?:打开|关闭|关掉|关上|开启|调到|调至|设置|设定|设好|锁上|锁好|解锁)(?:了|好|为|成)?',
    asks: /\b(?:turn|switch|lock|unlock|dim|set|open|close|remind)\b|打开|关|开|调|设|锁|提醒/iu,
    tool: /\b(?:turn|switch|lights?|lamps?|devices?|set|sets|lock|unlock|alarm|timer|reminders?|thermostat|control|smart|home|open|close|create|add|toggle)\b|开关|灯|设备|锁|闹钟|提醒|设置|控制|空调|门|家居/iu,
    thing:
      /\b(?:lights?|lamps?|heat\w*|air[ -]?con\w*|AC|TV|fan|doors?|windows?|alarms?|timers?|reminders?|thermostat|devices?|music|blinds|curtains|speakers?|plug|temperature|volume|oven|lock)\b|灯|空调|暖气|电视|风扇|门|窗|闹钟|定时|提醒|设备|音乐|音箱|温度|音量|热水器|扫地机|插座/iu,
  },
  {
    did: 'created|added|removed|updated|changed|modified|edited|renamed|moved|copied|written|wrote|recorded|logged|registered|set up|opened|closed|assigned|invited|cleared|merged',
    zh: '创建|新建|建好|添加|新增|加入|加到|移除|更新|修改|更改|改成|改为|改好|重命名|移动|移到|复制|记录到|登记|注册|邀请|合并|分配',
    asks: /\b(?:create|add|remove|update|change|modify|edit|rename|move|copy|write|record|log|register|set|open|close|assign|invite|make|put|clear|merge)\b|创建|新建|建|加|移|更新|改|重命名|复制|记|登记|注册|邀请|合并|分配/iu,
    tool: /\b(?:create|creates|add|adds|new|insert|make|register|open|close|update|updates|change|changes|edit|edits|modify|set|sets|rename|move|copy|write|writes|patch|put|save|saves|store|record|records|log|assign|invite|remove|delete|merge|append|notes?|calendar|remember|schedule|book)\b|创建|新建|添加|新增|更新|修改|更改|编辑|重命名|移动|复制|写|保存|记|登记|注册|邀请|删除|合并|设置/iu,
    thing: OUTSIDE,
  },
  {
    did: 'searched (?:the|for|online|through|my|your)|looked up|looked it up|browsed|queried|fetched|googled|checked (?:the|your) (?:weather|forecast|calendar|inbox|e-?mails?|orders?|database|website|web|stock|price|status|account|balance|schedule|flights?)',
    zh: '查询(?:了|到|过)|搜索(?:了|到|过)|检索(?:了|到|过)|查到|查(?=了)|搜(?=了)|联网查',
    asks: /\b(?:search|look|find|check|browse|query|fetch)\b|查|搜|找|检索|看看/iu,
    tool: /./,
    byAll: true,
  },
];
