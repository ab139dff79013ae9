/** What only a tool can know, by kind: how it is asked for, which tools know it, and how its facts look, in both languages. */

export interface Kind {
  name: string;
  /** A request for it. General knowledge (where water boils) is not asked for in such words. */
  asks: RegExp;
  /** What is no such request all the same: a calculation with given figures, a text to be written. */
  unless?: RegExp;
  /** What it has to name besides. */
  names?: RegExp;
  /** Words of a tool that knows it: in its name, the first sentence of its description, its keywords. */
  tool: RegExp;
  /** Facts of this kind in an answer; global patterns. */
  facts: readonly RegExp[];
}

/** The request is about now, about the user's own, or about a thing with a number of its own. */
export const LIVE =
  /\b(?:now|currently|current|today|tonight|tomorrow|yesterday|latest|live|right now|at the moment|this (?:morning|afternoon|evening|week|month)|my|our)\b|现在|目前|当前|今天|今晚|明天|后天|昨天|最新|实时|这会儿|此刻|本周|这周|本月|我的|我们的|\b(?=[A-Z0-9-]*\d)[A-Z]{1,4}-?\d{2,}\b|#\d+|\b\d{5,}\b/iu;

/** Tools that look something up. */
export const LOOKS_UP =
  /\b(?:gets?|gives?|fetch\w*|finds?|looks?|reads?|checks?|quer(?:y|ies)|lists?|retriev\w*|search\w*|shows?|tracks?|status|current|live|latest|monitor\w*|sensor)\b|查|读|获取|列出|检索|当前|实时|最新|返回/iu;

/** Tools whose result can be worked out without them. */
export const WORKS_OUT =
  /\b(?:calculat\w*|comput\w*|convert\w*|math\w*|arithmetic|evaluat\w*|solv\w*|sums?|area|volume|probabilit\w*|factor\w*|statistic\w*|average|translat\w*|format\w*|encod\w*|decod\w*|pars\w*|analy[sz]\w*|generat\w*|creat\w*|predict\w*|estimat\w*|sort\w*)\b|计算|换算|求解|翻译|分析|生成|预测|排序/iu;

const TEMPERATURE = /-?\d+(?:\.\d+)?\s*(?:°\s*[CF]?|℃|℉|度|摄氏度|degrees?|celsius|fahrenheit)/giu;
const CONDITION =
  /\b(?:sunny|cloudy|overcast|rainy|raining|light rain|heavy rain|showers|thunderstorms?|snowy|snowing|light snow|windy|foggy|clear sk(?:y|ies)|mostly clear|partly cloudy)\b|晴(?!空|朗的)|多云|阴天|小雨|中雨|大雨|暴雨|阵雨|雷雨|有雨|会下雨|不会下雨|小雪|大雪|会下雪|雾霾|大风/giu;
const CLOCK =
  /\b\d{1,2}[:：]\d{2}\b(?:\s*[ap]\.?m\b)?|\b\d{1,2}\s*(?:[ap]\.?m\b|o'clock)|(?:上午|下午|晚上|凌晨|早上|中午)?\s*\d{1,2}\s*点(?:半|\d{1,2}分?)?/giu;
const DATE =
  /\b\d{4}-\d{1,2}-\d{1,2}\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\s+\d{1,2}\b|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|\d{1,2}\s*月\s*\d{1,2}\s*[日号]|(?:星期|周|礼拜)[一二三四五六日天]|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/giu;
const MONEY =
  /(?:[$€£¥￥]|\b(?:USD|EUR|GBP|CNY|RMB|HKD|JPY)\s?)\s?\d[\d,]*(?:\.\d+)?|\d[\d,]*(?:\.\d+)?\s*(?:元|块|美元|欧元|日元|英镑|人民币|港元|美金|dollars?|euros?|pounds?|yen|yuan|cents|USD|EUR|CNY|RMB|GBP|JPY)/giu;
const NUMBER = /\b\d[\d,]*(?:\.\d+)?%?/gu;
const STATUS =
  /\b(?:shipped|delivered|out for delivery|in transit|on its way|on the way|delayed|on time|boarding|departed|landed|arrived|cancelled|canceled|refunded|processing|pending|paid|dispatched|ready for pickup|returned|resolved|open|closed|in progress|confirmed)\b|已?发货|已?签收|运输中|运输途中|派送中|派件|在途|配送中|延误|准点|正点|已?起飞|已?降落|已?取消|已?退款|处理中|待付款|已?付款|已?支付|已?到达|已?出库|已?送达|待发货|已?完成|已?解决|进行中/giu;

/** Numbers of any kind: for tools of which nothing more is known. */
export const NUMBERS: Kind = {
  name: 'numbers',
  asks: /./,
  tool: /./,
  facts: [
    TEMPERATURE,
    MONEY,
    CLOCK,
    DATE,
    /\b\d[\d,]*(?:\.\d+)?\s*(?:%|[a-z]{1,6}\b|[个件条人次台只公里米吨升小时分钟]+)|\b\d[\d,]*\.\d+\b|\b\d{2,}\b/giu,
  ],
};

const WRITING =
  /\b(?:draft|compose|translate|rewrite|rephrase|poem|story|essay)\b|\bwrite (?:me )?(?:an? |the )?(?:[\w-]+ ){0,3}?(?:e-?mail|letter|message|reply|function|script|program)|写一?[封篇段首句个份]|起草|翻译|润色|改写|造句|怎么说/iu;

export const KINDS: readonly Kind[] = [
  {
    name: 'weather',
    asks: /\bweather\b|\bforecast\b|umbrella|\b(?:rain|snow)(?:ing|y)?\b.*\b(?:today|tomorrow|tonight|now|week|weekend)\b|\b(?:is|will) it (?:going to )?(?:be )?(?:rain|snow|cold|hot|warm|sunny|windy|freezing)|\bhow (?:cold|hot|warm) is it\b|\btemperature\b.*\b(?:now|today|tomorrow|tonight|outside|currently|this week)\b|\bcurrent temperature\b|天气|气温|下雨|下雪|带伞|(?:今天|明天|后天|现在|这会儿|今晚|周末|外面|当前|未来).*(?:冷|热|多少度|温度|几度|雨|雪|风|晴|穿什么)/iu,
    unless: WRITING,
    tool: /\b(?:weather|forecast|temperature|meteo\w*|climate)\b|天气|气温|气象|温度/iu,
    facts: [TEMPERATURE, CONDITION, /(?:湿度|降水概率|风力|humidity|chance of rain|wind)\D{0,12}\d+/giu],
  },
  {
    name: 'time',
    asks: /\bwhat time is it\b|\b(?:tell me|give me|know|check) the (?:exact |current )?time\b|\bwhat(?:'s| is) the (?:current |exact |local )?time\b(?! (?:difference|complexity|zone))|\b(?:current|local) time\b|\btime (?:right )?now\b|\bwhat (?:day|date) is (?:it|today)\b|\b(?:today'?s|current) date\b|\bwhat(?:'s| is) (?:the date|today)\b|现在.{0,10}(?:几点|时间)|几点了|几点钟[？?]?$|当前时间|(?:今天|明天|昨天).{0,6}(?:几号|星期几|周几|礼拜几|日期|几月)|今天是?(?:什么日子|多少号)/iu,
    unless: WRITING,
    tool: /\b(?:current time|time|clock|date|now|datetime)\b|时间|时钟|日期/iu,
    facts: [CLOCK, DATE],
  },
  {
    name: 'price',
    asks: /\b(?:stock|share) price|\bprice\b.*\b(?:now|today|current\w*|of)\b|\bcurrent price\b|\bits price\b|\bhow much (?:is|are|does|do)\b(?!.*\b(?:water|sleep|protein)\b)|\bexchange rate\b|\b(?:quote|trading at|fare)\b|\bworth (?:now|today)\b|股价|汇率|现价|报价|票价|油价|金价|房价|(?:现在|今天|目前|当前|这个|这款)?.{0,16}(?:多少钱|价格是?多少|什么价|怎么卖)/iu,
    unless:
      /\b(?:was|did|were|first|launch\w*|in (?:18|19|20)\d\d)\b|当年|当时|历史|\b(?:earn|save|off|discount|each|per)\b.*\d|\d.*\b(?:earn|save|off|discount|each|per)\b|每[月天年周人]|折|一共|\d\s*元(?!.*[换兑])|元一|[$€£¥]\s?\d/iu,
    tool: /\b(?:prices?|quotes?|stocks?|exchange|currenc\w*|rates?|fares?|products?|shop|store|catalog\w*|market|crypto|tickets?|hotels?|flights?)\b|价格|报价|股票|股价|行情|汇率|票价|商品|产品|库存|金价|油价/iu,
    facts: [MONEY, /\b\d[\d,]*\.\d+\b/gu, /(?:价格|股价|汇率|售价|报价|现价|price|rate|costs?|trading at)\D{0,12}\d[\d,.]*/giu],
  },
  {
    name: 'status',
    asks: /\b(?:order|package|parcel|shipment|delivery|ticket|flight|train|refund|payment|issue|server|build|job|claim|case)\b.{0,40}\b(?:status|now|arrive|arriving|delivered|shipped|delayed|on time|where|track|come|coming|done|progress)\b|\bwhere(?:'s| is) my\b|\bstatus of\b|\btrack\b.*\b(?:order|package|parcel|shipment)|\bhas my\b.{0,30}\b(?:shipped|arrived|been)|\bis (?:my )?flight\b|(?:订单|快递|包裹|物流|航班|工单|退款|列车|火车|外卖|服务器|任务|理赔).{0,16}(?:状态|到哪|在哪|怎么样|进度|到了|发货|延误|送到|什么时候|何时|几点|情况|准点|到账|好了|正常)|(?:查|看).{0,6}(?:订单|快递|包裹|物流|航班|工单)/iu,
    unless: WRITING,
    tool: /\b(?:orders?|track\w*|ship\w*|packages?|parcels?|deliver\w*|tickets?|flights?|trains?|status|refunds?|payments?|issues?|servers?|builds?|jobs?|claims?|cases?)\b|订单|物流|快递|包裹|航班|工单|列车|火车|状态|退款|外卖|服务器|任务|理赔/iu,
    facts: [STATUS, DATE, CLOCK],
  },
  {
    name: 'file',
    asks: /\b(?:read|open|show|cat|print|display|summari[sz]e|what|look|according to|find|check|how many|contain\w*|says?|contents?|about)\b|读|打开|看|显示|总结|概括|根据|内容|里面|里有|写了|说了|讲了|什么|多少/iu,
    names: /[\w./一-鿿-]{1,80}\.(?:md|txt|csv|json|ya?ml|toml|log|py|ts|js|html?|pdf|docx?|xlsx?|ini|cfg|sql|sh)(?![a-z])|https?:\/\/\S/iu,
    tool: /\b(?:files?|read|open|cat|documents?|fetch|pages?|web|url|browse\w*|http|download)\b|文件|读取|网页|文档|网址/iu,
    facts: [
      /\b(?:the |this )?(?:file|document|page|article|it|config\w*|log|readme|report|script)\s+(?:says|contains|reads|states|describes|lists|shows|explains|covers|has|is about|mentions|defines|includes)\b/giu,
      /\bcontents?(?: of [^:：.]{1,40})? (?:is|are|reads?)\b|\bcontents?\s*:|\baccording to the (?:file|document|page|article)/giu,
      /(?:内容|全文|主要内容)(?:是|为|如下|有|包括|[:：])|(?:文件|文档|网页|文章|页面|日志|报告|里面|里|中|它|该文)(?:写着|写道|写的是|包含|记录了|介绍了|讲的是|讲述了|说明了|提到|列出了|显示|主要讲|共有|说)/giu,
      NUMBER,
    ],
  },
  {
    name: 'search',
    asks: /\b(?:search|google)\b|\blook (?:it )?up\b|\b(?:latest|recent|today'?s|breaking) (?:news|headlines?|updates?|results?|scores?)\b|\bnews (?:about|on|today)\b|\bwho won\b.*\b(?:yesterday|today|last night|tonight)\b|搜索|搜一下|搜一搜|上网查|网上查|联网|百度一下|最新.{0,10}(?:新闻|消息|进展|动态|资讯)|今天.{0,6}新闻|新闻(?:头条|热点)|(?:昨天|昨晚|今天).{0,12}(?:比分|谁赢)/iu,
    tool: /\b(?:search|web|news|google|bing|browse\w*|headlines?|scores?|sports?)\b|搜索|新闻|检索|资讯|比分/iu,
    facts: [
      /https?:\/\/\S+/giu,
      /\b(?:search results?|results show|i found|i've found|according to (?:reuters|bbc|cnn|the|recent|news|reports?|\w+ news)|reports? (?:say|says|indicate)|announced|reported|breaking|headlines?)\b/giu,
      /搜索结果|搜到|查到|根据(?:搜索|报道|新闻|最新|公开)|据[^，。]{0,8}(?:报道|消息|悉|了解)|宣布|头条|报道(?:称|说)|最新消息/giu,
      MONEY,
      NUMBER,
    ],
  },
  {
    name: 'own data',
    asks: /\b(?:my|our)\b.{0,30}\b(?:balance|account|calendar|schedule|meetings?|appointments?|events?|inbox|e-?mails?|messages?|notes?|contacts?|tasks?|to-?dos?|reminders?|inventory|files?|photos?|subscription|usage|steps|heart rate|budget|invoices?|bills?)\b|\b(?:how many|how much)\b.{0,40}\b(?:in stock|left|unread|available|remain\w*|in the (?:database|table|warehouse|inventory))\b|\bin stock\b|\b(?:database|table|sensor)\b.{0,40}\b(?:how many|count|current|value|reading|rows)\b|\bdo i have\b.{0,40}\b(?:today|tomorrow|this|next|on|left|unread|scheduled|meetings?|appointments?)\b|\bwhat(?:'s| is) on my\b|我(?:的|今天|明天|现在|有|还有|本周|这周|下周).{0,10}(?:余额|账户|日历|日程|会议|安排|邮件|收件箱|笔记|联系人|待办|提醒|账单|流量|步数|快递|库存|积分|工资)|(?:库存|余额|剩余|还剩).{0,10}(?:多少|几|吗)|(?:今天|明天|下午|上午|本周|下周).{0,10}(?:会议|日程|安排|有什么会)|数据库.{0,16}(?:多少|几|查)|(?:传感器|仪表).{0,12}(?:读数|多少|数值)/iu,
    unless: WRITING,
    tool: /\b(?:balance|accounts?|calendar|schedules?|meetings?|appointments?|events?|inbox|mails?|e-?mails?|messages?|notes?|contacts?|tasks?|to-?dos?|reminders?|inventory|stock|warehouse|database|sql|query|table|sensors?|usage|bills?|invoices?|health|steps|photos?)\b|余额|账户|日历|日程|会议|邮件|收件箱|笔记|联系人|待办|提醒|账单|库存|数据库|传感器|流量|步数|积分|工资|仓库/iu,
    facts: [
      MONEY,
      CLOCK,
      DATE,
      NUMBER,
      /\b(?:no|one|two|three|four|five|six|seven|eight|nine|ten) (?:unread|new|meetings?|events?|items?|e-?mails?|messages?|appointments?|tasks?)\b|[一两二三四五六七八九十]\s*[个场封条件项份](?=\S*(?:会|邮件|消息|待办|日程|提醒|任务|笔记))/giu,
    ],
  },
];
