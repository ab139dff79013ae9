/**
 * Chinese words of everyday requests and the English words that descriptions of tools have for them: so that a Chinese request finds a
 * tool that is described in English only. One line a meaning; general vocabulary, no tool's own.
 */

const TABLE = `
天气 气象: weather
预报: forecast
气温 温度 冷 热: temperature
下雨 降雨 雨 带伞 雨伞: rain weather precipitation
下雪 雪: snow weather
空气质量 空气 雾霾: air quality pollution
湿度: humidity
紫外线: uv ultraviolet
指数: index
潮汐: tide
风力 风速 刮风: wind
日出 日落: sunrise sunset
时间 几点 时刻: time
时区: time zone
日期 几号 哪天: date
星期 周几: week day
日历 日程 行程: calendar schedule event itinerary
会议 开会 例会: meeting
提醒 提示: reminder remind
闹钟: alarm clock
倒计时 计时 定时: timer countdown
预约 约: appointment book
预订 预定 订 订购: book reserve booking reservation order
取消 退订: cancel
酒店 宾馆 旅馆 住宿 客房 房间: hotel room accommodation
民宿 公寓 租房: apartment rental
机票 航班 飞机 飞: flight plane airline ticket
机场: airport
火车 高铁 动车 列车: train railway
车票 门票 票 买票: ticket
地铁 公交 公共交通: subway bus transit
出租车 打车 网约车: taxi ride cab
租车: car rental rent
汽车 车辆 轿车: car vehicle
停车: parking
加油: fuel gas
充电: charge charging
路线 怎么走 导航 路径: route directions navigation path
距离 多远 公里 里程: distance kilometer
地图: map
地址 位置 地点 坐标 定位: address location place coordinates
附近 周边: nearby near
经纬度 经度 纬度: latitude longitude coordinates
城市: city
国家: country
首都: capital
人口: population
旅游 旅行 景点 游玩: travel trip attraction tourist sight
博物馆: museum
公园: park
海滩: beach
露营 徒步: camping hiking
商店 超市 店: store shop
健身房: gym
开门 营业 开放: opening hours open
堵车 堵 路况 交通: traffic
餐厅 饭店 餐馆 吃饭 美食: restaurant dining food
外卖: food delivery order
菜谱 食谱 做菜 做法 怎么做: recipe cook
食材 配料: ingredient
营养 热量 卡路里: nutrition calorie
咖啡: coffee
计算 算 算一下 求: calculate compute
加 相加 总和 合计 求和: add sum total
减: subtract
乘 相乘: multiply
除: divide
平均 平均值 均值: average mean
中位数: median
标准差 方差: standard deviation variance
统计: statistics
回归: regression
相关 相关性: correlation
假设检验 检验: test hypothesis
分布: distribution
样本: sample
拟合: fit regression
聚类: cluster
概率 几率: probability
百分比 百分之: percent percentage
平方根 开方: square root
阶乘: factorial
质数 素数: prime
最大公约数: greatest common divisor gcd
最小公倍数: least common multiple lcm
方程 解方程: equation solve
导数 微分: derivative
积分: integral
矩阵: matrix
三角形: triangle
圆 圆形: circle
矩形 长方形: rectangle
面积: area
周长: perimeter circumference
体积: volume
半径 直径: radius diameter
直角: right angle
斜边: hypotenuse
速度: speed velocity
加速度: acceleration
质量 重量 多重 体重: mass weight
身高 高度: height
密度: density
压力 压强: pressure
能量 动能: energy kinetic
力 重力: force gravity
电流 电压 电阻: current voltage resistance electric
频率 波长: frequency wavelength
换算 转换 转成 兑换 换成 等于多少: convert conversion exchange
单位: unit
汇率 外汇: exchange rate currency
货币 美元 欧元 人民币 日元 英镑: currency dollar
股票 股价 股市 上市公司: stock price share market
基金 投资 理财: fund investment invest
收益 回报: return profit
股东权益 净资产: equity
分红 股息: dividend
资产 负债: asset liability
折旧: depreciation
通胀 通货膨胀: inflation
国内生产总值: gdp
收盘价 开盘价: closing opening price
保险: insurance
债券: bond
现值 终值: present future value
营收 收入额: revenue sales
同比: year growth
利息 利率 复利: interest rate compound
贷款 房贷 按揭 月供: loan mortgage payment
税 个税 缴税: tax
工资 薪水 收入: salary income
预算 花费 开支 支出: budget expense spending
账户 余额: account balance
银行: bank
转账 汇款 付款 支付: transfer payment pay
退款: refund
发票 账单: invoice bill
价格 多少钱 价钱 报价 房价: price cost
打折 折扣 优惠: discount coupon
商品 产品 货: product item
购物 买 购买 下单: buy purchase shopping order
订单: order
快递 物流 包裹 送到: package delivery tracking shipment
库存: inventory stock
客户 顾客: customer
邮件 邮箱 发信: email mail
短信 消息 发消息: message sms text
发送 发给 发: send
回复: reply
电话 打电话 手机号: phone call number
联系人 通讯录: contact
微信 聊天: chat message
社交: social
翻译 译成 译为: translate translation
语言 英语 中文 日语: language
单词 词语 词义 释义: word definition dictionary
同义词: synonym
拼写 语法: spell grammar
摘要 总结 概括: summarize summary
情感 情绪: sentiment emotion
文章 文本 文字: text article
搜索 搜 查找 找 检索: search find
查询 查 查一下 看看: query get look lookup retrieve
桌游 棋牌 扑克 牌: board game card poker
国际象棋 象棋: chess
玩家: player
歌词: lyrics
专辑: album
旋律 和弦: melody chord
推荐: recommend recommendation suggest
比较 对比: compare comparison
新闻 头条 资讯: news headline
网页 网站 网址 链接: web page website url
下载: download
上传: upload
浏览器: browser
文件 文档: file document
文件夹 目录: folder directory list
读取 打开 读: read open
写入 写 保存 存: write save store
删除 删掉 清除 移除: delete remove
修改 更新 编辑 改: update edit modify change
创建 新建 建立 添加 新增: create add new
复制 拷贝: copy
移动 搬: move
重命名 改名: rename
压缩 解压: compress zip
图片 照片 图像: image picture photo
裁剪: crop
二维码: qr code
画 绘制 画图 图表: draw plot chart graph
视频 影片: video
电影 影院: movie film cinema
演员 主演 演过 演: actor act
导演: director
剧情: plot story brief
电视剧 节目 电视: tv show series
音乐 歌曲 歌 播放: music song play
歌手 乐队 艺术家: artist band singer
音乐会 演唱会: concert
乐器 钢琴 吉他: instrument piano guitar
书 图书 书籍 小说: book novel
图书馆: library
作者 作家: author writer
诗 诗歌: poem poetry
游戏: game
比赛 赛事: match game competition
联赛 联盟: league
锦标赛 冠军: championship champion
运动员 选手: athlete player
教练: coach
赛程: schedule match
进球 射手: goal scorer
比分 得分 成绩: score
球队 球员 队: team player
足球: soccer football
篮球: basketball
网球: tennis
排名 排行 排第几 第几名 积分榜: ranking rank standings
运动 健身 锻炼 跑步: exercise workout fitness run
步数: steps
健康 体检: health
医生 大夫: doctor physician
医院 诊所: hospital clinic
症状: symptom
疾病 病: disease
药 药品 吃药: medicine drug medication
疫苗: vaccine
睡眠 睡觉: sleep
心率 血压: heart rate blood pressure
体质指数: body mass index bmi
律师 法律 案件 诉讼 官司: lawyer law legal case lawsuit
法院 判决: court ruling
起诉 被告 原告: lawsuit sue defendant plaintiff
专利: patent
法规 法律条文: regulation law
警察: police
合同: contract
犯罪: crime criminal
历史: history historical
事件 大事: event
世纪 年代: century year era
条约 协议 签署: treaty agreement sign
文明 朝代: civilization dynasty
人物 传记: biography person
战争 战役: war battle
皇帝 君主 国王 女王: emperor monarch king queen
总统 主席: president
总理 首相: prime minister
科学 科学家: science scientist
发现 发现者: discover discoverer discovery
发明: invent inventor invention
理论 定律 公式: theory law formula
物理: physics
位移: displacement
初速度 末速度: initial final velocity
电场 磁场: electric magnetic field
电荷: charge
电容: capacitance capacitor
热容 熵: heat capacity entropy
光 光年: light
化学 元素 分子 原子: chemistry element molecule atom
生物 细胞 蛋白质: biology cell protein
基因 遗传: gene genetic dna
植物 花: plant flower
动物 物种: animal species
宠物 狗 猫: pet dog cat
星球 行星 太阳 月亮 月球: planet sun moon
太空 宇宙: space
地震: earthquake
海拔: elevation altitude
河流 山: river mountain
森林: forest
环境 碳排放 排放: environment carbon emission
能源 电费 用电: energy electricity power
学校 大学 学院: school university college
课程 上课 学习: course class learn
学生 老师: student teacher
考试 分数: exam grade score
作业: homework assignment
员工 同事: employee colleague
招聘 工作 职位 求职: job position recruit
公司 企业: company business
项目 任务: project task
待办 清单 列表: todo list
笔记 备忘 记下 记录: note memo record
数据库 数据表: database table sql
列 字段: column field
行 记录条目: row record
数据: data
代码 编程 程序: code program
运行 执行: run execute
命令: command shell
服务器: server
网络: network
密码 口令: password
用户: user
登录 注册: login register
权限: permission
日志: log
测试: test
随机 掷骰子 抽签: random dice
颜色 色: color
字体: font
衣服 穿 服装 尺码: clothes clothing wear size
鞋: shoes
礼物: gift
生日: birthday
节日 假期 放假: holiday festival
婚礼: wedding
房子 房产 买房: house property real estate
装修 家具: furniture home
灯 开灯 关灯: light lamp
空调: air conditioner thermostat temperature
智能家居: smart home device
设备: device
手机: phone mobile
电脑: computer
雕塑 绘画 油画 艺术: sculpture painting art
展览: exhibition
建筑: architecture building
宗教: religion
教皇: pope papal
教堂 寺庙: church temple
信仰: belief
星座 运势: horoscope zodiac
占卜 塔罗: tarot fortune
增长 增长率: growth rate
预测 估算 估计: predict estimate forecast
分析: analyze analysis
生成: generate
检查 核对: check verify
状态 进度 到哪: status progress
列出 有哪些: list
排序: sort
筛选 过滤: filter
分组: group
最新 最近: latest recent
详情 详细 信息 资料 介绍: details information info
评论 评价 口碑: review rating comment
`;

let known: Map<string, string[]> | undefined;
let longest = 0;

function table(): Map<string, string[]> {
  if (known) return known;
  known = new Map();
  for (const line of TABLE.trim().split('\n')) {
    const [chinese, english] = line.split(': ') as [string, string];
    for (const word of chinese.split(' ')) {
      known.set(word, english.split(' '));
      longest = Math.max(longest, word.length);
    }
  }
  return known;
}

/** English words for the Chinese ones of a text; the longest word that is known counts, words do not overlap. */
export function englishFor(text: string): string[] {
  const words = table();
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    let length = Math.min(longest, text.length - at);
    while (length > 0 && !words.has(text.slice(at, at + length))) length--;
    if (length > 0) found.push(...words.get(text.slice(at, at + length))!);
    at += Math.max(1, length);
  }
  return [...new Set(found)];
}
