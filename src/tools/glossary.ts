/**
 * Meanings of everyday requests, each with the Chinese and the English words for it, so that a request finds a tool that is described in
 * the other language, or in other words. General vocabulary by field of life, no tool's own. A word may stand in several meanings and
 * then counts less for each; _ joins two words that mean it only together.
 */

import { rootOf, stem } from './words.ts';

const TABLE = `
# weather and nature
天气 气象 天气预报: weather | 预报 预测 预计 预估 预期: forecast predict projection outlook
气温 温度 多少度 冷 热 冷不冷 热不热 体感 摄氏 华氏: temperature warm cold hot celsius fahrenheit degrees heat
雨 下雨 降雨 带伞 雨伞 降水 阵雨: rain rainfall precipitation umbrella | 雪 下雪 降雪 积雪: snow snowfall
空气质量 空气 雾霾 污染 空气污染: air_quality pollution smog pollutant pollen | 湿度 潮湿 干燥: humidity humid | 紫外线 防晒: uv ultraviolet sunburn
潮汐 涨潮 退潮: tide | 风 风力 风速 刮风 大风 台风 飓风: wind windy storm hurricane | 日出 日落: sunrise sunset | 晴 晴天 阳光 太阳能 光伏: sunny solar sunlight
气候: climate | 季节 春天 夏天 秋天 冬天: season spring summer autumn winter
自然灾害 灾害 洪水 火灾 地震 海啸 火山: disaster earthquake flood fire wildfire tsunami volcano seismic magnitude
森林 树林 林地 树 树木 砍伐: forest tree wood deforestation | 河 河流 江 湖 湖泊 海 海洋 大海: river lake ocean sea water
山 山脉 山峰 高山 爬山 登山 徒步: mountain peak hike hiking trail | 海拔 海拔高度: elevation altitude | 沙滩 海滩 海边: beach coast | 岛 岛屿: island
植物 花 花草 种植 浇水 盆栽: plant flower garden gardening botany | 动物 野生动物 兽: animal wildlife | 物种 种群 品种 濒危: species population breed endangered
鸟 小鸟 鸟类 候鸟: bird | 鱼 鱼类 钓鱼: fish fishing | 宠物 狗 狗狗 猫 猫咪: pet dog cat puppy
大象 狮子 老虎 熊 熊猫 狼 犀牛 鹿: elephant lion tiger bear panda wolf rhino deer turtle | 昆虫 蜜蜂 蝴蝶: insect bee butterfly
生态 生态系统 栖息地: ecology ecosystem ecological habitat biodiversity | 环境 环保: environment environmental
碳排放 排放 二氧化碳 尾气 温室气体: emission carbon co2 greenhouse | 垃圾 废物 废弃物 回收: waste garbage trash rubbish recycle
土壤 土地 农业 农田 庄稼: soil land farm agriculture crop farming
地质 冰河 冰川 岩石 恐龙 化石: geology geological ice_age era glacier rock dinosaur fossil
# time
时间 几点 几点钟 时刻 钟点: time clock hour | 时区 时差: time_zone timezone | 日期 几号 哪天 哪一天: date day when | 星期 星期几 周几 礼拜: week weekday
天数 多少天 几天 倒数: days countdown between | 年 年份 哪年 哪一年 年度: year annual yearly | 月 月份 每月 按月: month monthly
世纪 年代 时代: century era decade period | 日历 日程 行程 安排 时间表: calendar schedule itinerary agenda plan | 会议 开会 例会: meeting
提醒 提示 别忘了: reminder remind | 闹钟: alarm | 计时 定时 倒计时: timer countdown | 预约 约: appointment
现在 目前 当前 此刻 眼下: current now real-time currently present moment | 未来 以后 将来 今后 之后 后: future next upcoming later ahead
过去 以前 历年 往年: past last previous historical | 最新 最近 近期: latest recent newest | 等待 等多久 排队 等候 排多久: wait waiting queue queuing line
时长 多长时间 多久 用时 耗时 花多久: duration how_long long time minutes hours period | 开门 营业 开放 营业时间 开馆 几点开 关门: opening hours open closing
截止 到期 过期: deadline expire due expiry
# places
地点 位置 地方 地址 坐标 定位 在哪 在哪里 哪里: location place address coordinates where position
附近 周边 周围 旁边 身边 最近的: nearby near nearest around close closest local | 经纬度 经度 纬度: latitude longitude coordinates
城市 市区 市: city town urban | 国家 全国: country nation national | 省 州 地区 区域: state province region area | 首都: capital
人口 居民 多少人: population people inhabitants residents | 人口普查 普查: census | 邮编 邮政编码: zip postal zipcode | 地图: map maps
边界 邻国 接壤: border neighbor
# travel
旅游 旅行 出游 游玩 度假 自由行: travel trip tour vacation tourism journey holiday
景点 名胜 古迹 名胜古迹 遗迹 遗址 地标 景区: attraction landmark sight monument site tourist heritage historic_site
酒店 宾馆 旅馆 旅店 住宿 客栈 饭店住: hotel accommodation motel inn lodging stay | 房间 客房 空房 单人间 双人间 双人房 大床房: room suite | 晚 过夜 几晚: night nights
入住 退房: check-in checkout check-out | 民宿 公寓 租房 出租: apartment rental rent airbnb flat
机票 航班 飞机 飞 航空 航空公司: flight plane airline airplane fly airfare | 机场: airport | 火车 高铁 动车 列车 火车站: train railway rail
票 门票 车票 买票 入场券 座位: ticket seat admission pass | 地铁 公交 公交车 公共交通 巴士: subway bus transit metro transportation public_transportation
出租车 打车 网约车 叫车 顺风车 叫一辆车: taxi ride cab ride-hailing uber rides | 租车: car_rental rental rent | 船 轮船 邮轮 游轮 渡轮: ship boat cruise ferry
护照 签证: passport visa | 行李: luggage baggage | 预订 预定 订 订购 订票 订房 订一间 订位: book reserve booking reservation order
取消 退订: cancel cancellation | 可用 空位 有没有空 余票 有空: available availability vacancy free | 露营: camping camp
飞机座位 头等舱 商务舱 经济舱: class cabin economy business_class
# roads
汽车 车辆 轿车 车 车型 越野车 卡车: car vehicle auto truck automobile suv | 发动机 引擎 马力 轮胎 车况: engine horsepower tire | 二手车: used_car used
汽油 油耗 加油 柴油 燃油: fuel gas gasoline diesel petrol mileage | 充电 充电桩 电动车: charge charging ev electric_vehicle electric_car
停车 停车场 停车位 车位 泊车: parking park parking_lot garage | 路线 怎么走 导航 路径 线路 绕开 哪条路: route directions navigation path routing way
开车 驾车 驾驶 自驾: drive driving | 收费 过路费 高速 高速公路: toll highway motorway | 最快 快速: fastest quick quickest | 最短: shortest
距离 多远 里程 公里 英里 千米 相距 隔多远: distance far mile mileage kilometer | 堵车 堵 路况 交通 拥堵 堵不堵: traffic congestion jam
自行车 骑行 骑车: bike bicycle cycling | 步行 走路: walk walking | 事故 车祸: accident crash
# shops, money
商店 店 店铺 门店 商场 卖场 几家店: store shop mall retailer outlet | 超市 便利店 菜市场: supermarket grocery groceries market walmart
商品 产品 货 货品: product item goods merchandise | 购物 买 购买 选购: buy purchase shopping shop | 卖 出售 销售 售卖 在售: sell sale sales sold carry
价格 多少钱 价钱 报价 标价 售价 房价 价位 单价 要花多少: price cost how_much pricing expensive rate
费用 花费 开销 成本 开支 支出 花销: cost expense fee spending expenditure | 预算: budget
便宜 打折 折扣 优惠 优惠券 特价 打几折: discount coupon cheap deal promotion sale | 订单 下单: order | 库存 存货 有货 货: inventory stock availability carry
快递 物流 包裹 寄 邮寄 运费 发货 配送: package delivery tracking shipment shipping parcel courier | 退货 退款 退钱: refund return
客户 顾客 会员: customer client member | 发票 账单: invoice bill receipt | 小费: tip | 付款 支付 付钱: pay payment paid | 转账 汇款 打钱 转给: transfer remit move wire send
银行 开户: bank banking | 账户 账号 余额 户头: account balance checking | 流水 交易 交易记录 明细 收支: transaction statement history
存款 储蓄 存钱 定期 存: deposit savings save | 取款 取钱 取出 提现 提取: withdraw withdrawal cash | 利息 利率 年息 年利率: interest interest_rate apr
复利 利滚利 连本带利: compound compounding compounded interest | 贷款 房贷 按揭 月供 借款 还款: loan mortgage payment borrow repay installment
本金: principal | 信用卡 信用 信用分: credit credit_card | 税 个税 缴税 税率 纳税 所得税: tax taxation taxes | 保险 保费: insurance premium
工资 薪水 薪资 收入 月薪 年薪: salary income wage earnings pay | 汇率 外汇 换汇 兑换 换成: exchange currency exchange_rate convert conversion
货币 美元 欧元 人民币 日元 英镑 美金 港币 韩元 法郎 卢比: currency dollar euro yen pound usd eur rmb yuan | 股票 股份 股 持股 个股: stock share equity
股价 股市 大盘 行情 证券: stock_price stock market quote securities index trading | 开盘 收盘 开盘价 收盘价: closing opening close price
交易所 上市 上市公司: exchange listed company ticker | 交易日 成交量 成交: trading volume traded | 基金 共同基金: fund mutual mutual_fund | 投资 理财 投入: invest investment investor portfolio
收益 回报 回报率 收益率 投资回报: return yield profit roi gain | 终值 将来值 本利和: future_value future value
现值 净现值 贴现 折现: present_value present npv net_present discount | 分红 股息 派息: dividend
资产 负债 权益 股东权益 净资产: asset liability equity shareholder balance_sheet | 财务 财报 报表 财务比率 金融: finance financial ratio statement
利润 盈利 毛利 净利 净利润 利润率: profit margin net_income gross earnings | 营收 营业额 销售额 收入额: revenue sales turnover
同比 环比 增长 增长率 涨幅 增幅 增加: growth increase yoy grow rate rise | 债券 国债: bond | 通胀 通货膨胀 物价: inflation cpi
国内生产总值 经济 经济学: gdp economy economic economics | 供需 需求 供给 弹性: demand supply elasticity | 折旧: depreciation
市值 估值 市盈率: market_cap capitalization valuation valuate | 企业 公司 集团 厂商: company business corporate corporation firm enterprise
破产 并购 创业 股东: bankruptcy merger startup shareholder | 加密货币 比特币: crypto bitcoin cryptocurrency | 拍卖 竞拍: auction bid
房子 房产 买房 房屋 房源 二手房 别墅 住宅 三居室: house property real_estate home realestate villa apartment housing
# food
餐厅 饭店 餐馆 吃饭 馆子 饭馆 小馆 下馆子 用餐 聚餐: restaurant dining eat dinner dine eatery
菜系 川菜 粤菜 中餐 西餐 意大利菜 日料 寿司 披萨: cuisine food dish sushi pizza chinese italian | 外卖 送餐 点餐 点个: food delivery order takeout
菜谱 食谱 做菜 怎么做 烹饪 做一道 下厨 做饭 烧菜: recipe cook cooking dish meal | 烤 烤箱 煮 蒸 炒 炖 烧: roast bake oven boil cook cooking grill
备菜 准备: prep preparation prepare | 食材 配料 原料 用料: ingredient | 份 人份: servings serving portion | 素食 素菜 纯素 吃素: vegetarian vegan
饮食 减肥餐 节食 无麸质 低脂: diet dietary gluten | 营养 热量 卡路里 卡 蛋白质 脂肪 碳水 维生素 大卡: nutrition nutritional calorie protein fat fattening carb vitamin nutrient
水果 苹果 香蕉 蔬菜 西兰花 胡萝卜: fruit vegetable apple banana | 肉 鸡肉 鸡 牛肉 猪肉 牛排: meat chicken beef pork steak
咖啡 奶茶 茶 饮料 喝 饮品: coffee tea drink beverage | 酒 葡萄酒 啤酒 酒吧: wine beer bar alcohol
喝水 饮水 补水 喝多少水 喝几升: water hydration drink intake hydrate | 蛋糕 甜点 面包 甜品: cake dessert bread bakery
早餐 早饭 午餐 午饭 晚餐 晚饭 宵夜: breakfast lunch dinner meal supper | 过敏: allergy allergic
# maths
计算 算 算一下 算算 求 算出 求出 等于: calculate compute calculation calculator determine work_out | 加 相加 总和 合计 求和 总数 总共 一共: add sum total addition
减 相减 差: subtract difference minus | 乘 相乘 乘积 乘以: multiply product multiplication | 除 相除 除以 余数: divide division remainder modulo
平均 平均值 均值 平均分 平均数 场均: average mean per_game | 中位数: median middle_value | 众数: mode frequent
标准差 方差: standard_deviation variance deviation | 统计 统计学: statistics statistical stats | 回归 拟合 直线 线性: regression fit linear line
相关 相关性 相关系数: correlation relation | 检验 假设检验 显著性 显著 卡方 列联表: test hypothesis significance significant chi-squared contingency
分布 正态: distribution normal | 二项 二项分布 恰好: binomial trials | 样本 抽样: sample sampling | 聚类 分类: cluster classify classification
概率 几率 可能性 机率 胜率 成功率: probability odds chance likelihood | 百分比 百分之 比例 占比: percent percentage ratio proportion
平方根 开方 根号 立方根: square_root sqrt root cube | 平方 立方 次方 幂 乘方: power square exponent cube | 对数: logarithm log | 阶乘: factorial
质数 素数: prime primes | 因数 因子 质因数 约数: factor divisor factorization factors
最大公约数 公约数 公因数 最大公因数: gcd greatest_common divisor hcf common highest_common | 最小公倍数 公倍数 倍数: lcm least_common multiple
斐波那契 数列: fibonacci sequence series | 排列 组合: permutation combination | 方程 方程组 解方程 一元二次 二次方程: equation solve quadratic polynomial
方程的根 实根 求根: root roots quadratic | 函数 曲线: function curve
导数 微分 求导 斜率 切线: derivative differentiate differentiation slope tangent calculus
积分 定积分 曲线下: integral integrate integration area_under calculus | 极限: limit | 矩阵 行列式 向量 数组: matrix determinant vector array
余弦 相似度 余弦相似度 相似: cosine similarity similar | 进制 二进制 十六进制 八进制: binary hexadecimal octal base
排序 从大到小 从小到大 升序 降序 顺序: sort order ascending descending sorted | 列表 数组排序 一组数 这组数: list array numbers data | 随机 随机数 随便: random
最大 最高 最大值 最多: maximum max highest most largest top biggest | 最小 最低 最小值 最少: minimum min lowest least smallest
几何 形状 图形 多边形: geometry shape polygon geometric | 三角形: triangle | 直角 直角三角形 勾股: right_triangle right-angled right pythagoras pythagorean
斜边: hypotenuse | 圆 圆形 圆周: circle circular | 球 球体: sphere ball | 圆柱 圆柱体 圆锥 立方体 长方体: cylinder cone cube cuboid prism
矩形 长方形 正方形: rectangle square rectangular | 面积 占地 平方米: area square_meter surface | 周长 圆周长: perimeter circumference
体积 容积 立方米: volume capacity space_inside | 半径 直径: radius diameter | 边长 三条边 边 长度 宽度 宽 长 多长: side length width | 角 角度 夹角: angle
坐标系 两点 欧几里得 点: point points euclidean | 底 高: base height | 换算 转换 转成 换算成 单位 单位换算 等于多少: convert conversion unit converter transform
# physics, chemistry, biology
物理 力学 运动学: physics kinematics mechanics | 速度 速率 初速度 末速度 时速: speed velocity | 加速度 加速: acceleration accelerate | 位移: displacement
自由落体 落下 掉下来 坠落 下落 落地: fall falling drop free_fall | 抛 抛物线 抛体 射程 弹道: projectile trajectory throw launch
质量 重量 多重 体重 公斤 千克: mass weight weigh kilogram | 密度: density | 压力 压强 气压: pressure
力 重力 引力 万有引力 摩擦力 受力: force gravity gravitational friction | 能量 动能 势能 功 做功 焦耳: energy kinetic potential joule work
功率 瓦 瓦特 发电 电力: power watt generate electricity energy | 动量: momentum
电流 电压 电阻 电路 安培 伏特: current voltage resistance electric circuit electrical ampere
电场 磁场 电磁 静电 螺线管 磁感应: electric_field magnetic magnetic_field solenoid electrostatic electromagnetic field
电荷 电量 带电: charge electric_charge | 粒子 电子 质子 中子: particle electron proton neutron | 电容 电容器: capacitance capacitor
频率 波长 赫兹 声波 音波: frequency wavelength hertz hz wave sound | 光 光速 光年 亮度 激光: light luminosity brightness
热容 熵 热力学 比热: heat_capacity entropy thermodynamic heat | 温差 沸点 熔点: boiling melting
化学 化合物 反应 化学式: chemistry chemical compound reaction | 元素 原子 原子量 分子 分子量 元素周期表: element atom molecule atomic molecular periodic
溶液 浓度 酸碱 摩尔: solution concentration ph molar | 生物 生物学: biology biological | 细胞 细胞核 线粒体: cell cellular nucleus
细菌 病毒 微生物 真菌: bacteria virus microbe bacterial | 繁殖 翻倍 分裂 翻一倍 翻一番: duplication double reproduce doubling | 进化 演化: evolution evolve
基因 遗传 染色体 基因型: gene genetic chromosome genotype allele genome | 序列: sequence | 突变 变异: mutation mutate variant | 光合作用: photosynthesis
天文 星球 行星 星系 恒星 火星 地球 木星: planet star astronomy galaxy mars earth jupiter | 太空 宇宙 宇航: space universe cosmic | 太阳: sun
月亮 月球 月相: moon lunar | 卫星 火箭 轨道: satellite rocket orbit | 科学 科学家 学者: science scientist scientific researcher
发现 发现者: discover discovery discoverer discovered | 发明 发明家 发明者 发明人: invent invention inventor | 理论 定律 原理: theory law principle
公式: formula | 实验: experiment
# health
健康 体检 养生: health healthy wellness | 运动 健身 锻炼 跑步 健身房 瑜伽: exercise workout fitness gym running run yoga
运动量 活动量: activity activity_level | 步数: steps | 体质指数 胖 肥胖 身材 身体质量: bmi body_mass obesity | 身高: height tall | 减肥 减重 增重: weight_loss lose
医生 大夫 医师 看病 挂号 牙医: doctor physician medical dentist appointment | 医院 诊所 急诊: hospital clinic emergency
症状 发烧 头痛 咳嗽 头疼: symptom fever headache cough | 疾病 病 糖尿病 癌症 心脏病 感冒 患病: disease illness diabetes cancer sick condition
诊断: diagnose diagnosis diagnostic | 药 药品 吃药 药物 用药: medicine drug medication pill prescription pharmacy | 疫苗 接种: vaccine vaccination
手术 治疗: surgery treatment therapy | 睡眠 睡觉 失眠: sleep insomnia | 心率 心跳 血压 脉搏: heart heart_rate blood_pressure pulse | 血 血型 血糖: blood
心理 心理学 精神: psychology psychological mental | 人格 性格 大五 大五人格 外向 内向: personality trait big_five bigfive character behavior
情绪 情感 心情 开心 生气 正面 负面 感情: emotion sentiment mood feeling happy angry positive negative | 怀孕 婴儿 宝宝: pregnancy baby
大脑 脑 神经: brain neuron neural | 年龄 几岁 多大: age old
# people, law, history
人物 名人 传记 生平 人: person people biography celebrity figure | 出生 生日 诞生 生于: birth birthday born birthdate | 去世 逝世 死亡: death die died
成就 奖项 获奖 大奖 荣誉 奖: achievement award prize honor accomplishment major | 起源 创立 创始人 创办 起源于 创建者: origin founder found founded
历史 历史上 史: history historical historic | 事件 大事 史实: event happen fact | 战争 战役 打仗 之战: war battle
条约 协议 签署 和约: treaty agreement sign signing pact | 革命 大革命 起义 改革: revolution reform reformation uprising event
文明 帝国 古代 王朝 朝代 古国: civilization empire dynasty ancient | 皇帝 君主 国王 女王 王室: emperor monarch king queen royal ruler
领袖 领导人 统治: leader ruler lead | 总统: president | 总理 首相: prime_minister prime minister
政府 政治 执政 选举 投票 议员: government politics election vote political senator | 宪法 修正案: constitution amendment
宗教 信仰 教义 佛教 基督教 伊斯兰教 犹太教 天主教 道教: religion religious belief faith buddhism christianity islam church god
教会 分裂 教派: schism church denomination | 教皇 主教: pope papal bishop | 教堂 寺庙 清真寺: church temple mosque
节日 假期 放假 春节 圣诞: holiday festival christmas | 神话 传说: myth mythology legend | 法律 法规 法条 条例: law legal legislation statute regulation
律师: lawyer attorney | 案件 案子 案号 案例 个案: case cases | 诉讼 起诉 官司 打官司 告 被告 原告 控告: lawsuit sue sued litigation plaintiff defendant lawsuits
法院 法庭 最高法院 判决 裁决: court ruling judgment verdict supreme | 犯罪 罪犯 罪案 犯罪率 刑事 治安: crime criminal
判刑 定罪 前科 有罪 坐牢: conviction convicted sentence criminal record | 民事: civil | 警察 报警: police | 专利 版权 商标: patent copyright trademark
合同 契约: contract | 公民 移民: citizen immigration | 家庭 家人 亲戚 父母 孩子: family child parent relative kid
结婚 婚礼 离婚 恋爱: marriage wedding divorce | 星座 运势 占星 属相: horoscope zodiac astrology | 塔罗 占卜: tarot fortune
# sport
体育 运动会 体育赛事: sport sports athletic | 比赛 赛事 对阵 场次: match game competition contest | 联赛 联盟: league
锦标赛 冠军 杯 世界杯 奥运 奥运会: championship champion tournament cup olympic title | 运动员 选手: athlete sportsman | 球员 球星 队员: player | 教练: coach
球队 队 队伍 俱乐部: team club | 赛季: season | 赛程: schedule fixture match | 进球 射手 射门 进了多少球: goal scorer score goals
比分 得分 场均得分 分数: score points point ppg | 成绩 战绩 表现 结果: result performance record outcome | 赢 谁赢 胜者 获胜 赢家 输赢 谁赢了: winner win won wins
排名 排行 排第几 第几名 积分榜 排行榜 榜单: ranking rank standings chart top | 足球: soccer football | 篮球: basketball nba
棒球 打数 安打 打击率: baseball batting hits at-bats | 网球 网球场 球场: tennis court | 羽毛球 乒乓球 排球 高尔夫: badminton volleyball golf
游泳 泳池: swim swimming pool | 滑雪 滑冰: ski skiing skating | 拳击 摔跤 武术: boxing wrestling martial | 马拉松 跑: marathon run race
生涯 职业生涯 一生 这辈子: career lifetime all-time
# games, music, film, books, art
游戏 电子游戏 手游 电玩 打游戏: game video_game gaming play | 关 关卡 等级 第几关: level stage | 存档 进度: save progress
攻略 技巧 玩法 通关: guide tips walkthrough strategy | 玩家: player gamer | 桌游 棋牌: board_game board | 国际象棋 象棋 围棋 棋: chess go
扑克 牌 扑克牌 纸牌 发牌 一副牌 手牌: card poker deck hand cards | 红桃 黑桃 方块 梅花 花色: suit heart spade diamond club | 二十一点 庄家: blackjack dealer
骰子 掷骰子 点数: dice die roll | 硬币 抛硬币: coin flip | 问答 知识竞赛 猜谜: trivia quiz puzzle | 彩票 赌 赌场: lottery gambling casino bet
音乐 乐曲: music musical song | 歌曲 歌 曲子 一首歌: song track music tune | 播放 放 放歌 听 来一首 放一首: play listen put_on stream
歌手 乐队 艺术家 歌星: artist singer band musician | 专辑: album | 歌词: lyrics | 旋律 和弦 音符 节拍: melody chord note tempo beat
大调 小调 调号 音阶 升号 降号 调性: key scale major minor signature sharp flat key_signature | 音乐会 演唱会 演出: concert show performance gig
摇滚 爵士 古典 流行 民谣 风格 流派 类型: genre rock jazz classical pop style type | 乐器 琴行: instrument | 钢琴 吉他 小提琴 长笛 鼓: piano guitar violin flute drum
音乐剧 歌剧 话剧 戏剧 舞台剧 剧院: musical theater opera theatre play drama | 舞蹈 跳舞 芭蕾: dance ballet | 声音 录音 音频: sound audio voice
电影 影片 片子 大片: movie film | 影院 电影院 放映 上映 在放 院线: cinema theater movie theatre showing showtime
演员 主演 演过 演 明星: actor act star cast actress | 导演: director | 剧情 情节: plot story storyline brief
电视剧 节目 电视 剧 综艺 追剧: tv show series television episode | 奈飞 流媒体 爱奇艺 视频网站: streaming netflix hulu stream | 视频 短片: video clip
评分 评价 口碑 星级 打分 好评: rating review star rate stars | 评论 点评 影评: review comment critique | 书 图书 书籍 小说 读物 一本书: book novel | 图书馆 借书: library
作者 作家: author writer | 出版 出版社: publish publication publisher | 诗 诗歌 古诗: poem poetry | 文学: literature literary
艺术 美术 艺术品: art artwork artistic | 画 绘画 油画 画作 名画: painting paint picture | 画图 绘制 画一个 画一张: draw create generate plot
雕塑 雕像 雕刻: sculpture statue | 大理石 青铜 木头 材料 材质: marble bronze wood material | 展览 画展 展会 展: exhibition exhibit gallery
博物馆 博物院 美术馆: museum | 照片 图片 图像 相片 图 截图: image picture photo photograph | 相机 拍照 摄影: camera photography | 设计 设计师: design designer
时尚 潮流 流行趋势 趋势: fashion trend trends | 颜色 色 红色 蓝色 黑色 绿色 白色 颜色值: color colour red blue green black rgb hex
油漆 涂料 刷墙 刷: paint painting wall coverage | 建筑 大楼 楼房 建筑师 桥: architecture building architect bridge construction
# home
家 家里 家居: home house household | 装修 翻新 家具 沙发: furniture decor renovation interior | 房间 客厅 卧室 厨房: room living_room bedroom kitchen
灯 开灯 关灯 灯光: light lamp lighting | 空调 暖气 恒温: thermostat air_conditioner heating | 智能家居: smart_home smart device
地板 地毯 瓷砖 墙: floor carpet tile wall | 花园 园林 景观 草坪 院子: garden landscape lawn yard landscaping | 清洁 打扫 洗: clean cleaning wash
维修 修理 修: repair fix maintenance | 水管工 水电工 电工: plumber electrician | 电费 用电 水费 用水: electricity utility usage
衣服 穿 服装 尺码 衣 裤子: clothes clothing wear size outfit dress | 鞋 鞋子: shoes | 首饰 戒指 珠宝 手表: jewelry ring watch
美容 化妆 理发 美发 护肤: beauty makeup hair salon skin | 礼物: gift present | 公园: park | 健身设施 设施 配备: amenities facility
# work and text
学校 大学 学院 高校 中学: school university college | 课程 上课 课: course class lesson | 学习 自学 教: learn study teach | 学生 老师 教师: student teacher
考试 分数线 考分: exam test grade score | 成绩单 语文 数学 英语成绩: grade grades math | 作业: homework assignment | 员工 同事 职员: employee colleague staff worker
招聘 职位 求职 工作 岗位 找工作: job position recruit career vacancy work employment | 简历 面试: resume interview | 项目: project | 任务 待办: task todo
清单: list checklist | 团队 群体 小组 团体: group team dynamics | 笔记 备忘 记 记下 记一下 记着 记录: note memo record | 邮件 邮箱 发信 电子邮件: email mail
短信 消息 发消息: message sms text | 发送 发给 发: send | 回复: reply respond | 电话 打电话 手机号: phone call number | 联系人 通讯录 联系方式: contact
聊天 微信 社交: chat social message | 翻译 译成 译为 翻成: translate translation
语言 英语 中文 日语 法语 德语 西班牙语 韩语: language english chinese french german spanish | 单词 词语 词义 释义 什么意思: word definition dictionary meaning
同义词 反义词: synonym antonym | 拼写 语法: spell grammar | 摘要 总结 概括 概要 说的是什么: summary summarize brief | 文章 文本 文字 这段话 段落: text article paragraph
标题: title headline | 搜索 搜 查找 找 检索 寻找 找到 找一位 找一个 有什么 有哪些: search find locate look_for lookup
查询 查 查一下 看看 查查 看一下: query get look lookup retrieve check fetch show
推荐 建议 来个 适合: recommend recommendation suggest suggestion suitable | 比较 对比 相比 差多少 哪个好 哪个更: compare comparison versus difference
新闻 头条 资讯: news headline | 网页 网站 网址 链接: web webpage website url page | 下载: download | 上传: upload | 浏览器: browser | 文件 文档: file document
文件夹 目录: folder directory | 打开: open | 读取 读: read | 写入 写 写进: write | 保存: save store | 删除 删掉 删 清除 移除: delete remove clear
修改 更新 编辑 改: update edit modify change | 设置 设定 调整 调 调亮 调暗 调到: set adjust configure setting | 创建 新建 建立 添加 新增: create add new make
复制 拷贝: copy | 移动 搬: move | 重命名 改名: rename | 压缩 解压: compress zip | 裁剪: crop resize | 二维码: qr | 图表 柱状图 折线图: chart graph plot
识别 辨认 认出 是什么 检测 辨别: identify recognize recognition identification detect detection | 物体 东西 物品: object thing item
屏幕 显示屏 显示: screen display monitor | 亮度 变亮 变暗: brightness dim bright | 数据库 数据表: database table sql | 字段: column field
数据: data dataset | 代码 编程 程序: code program | 运行 执行: run execute | 命令: command shell | 服务器: server | 网络 网速: network internet
密码 口令: password | 用户: user | 登录 注册: login register | 权限: permission | 日志: log | 测试: test | 字体: font | 设备: device
手机 智能手机: phone mobile smartphone | 电脑 笔记本 笔记本电脑: computer laptop | 机器学习 模型 训练 人工智能: model machine_learning train ai
分析: analyze analysis analyse analyzes | 估算 估计 估: estimate estimation approximate | 评估: assess assessment evaluate evaluation
生成 产生: generate produce create | 检查 核对 检验一下: check verify | 状态 情况 状况: status condition state
变化 变动 走势 发展 演变: change trend history development track | 数量 多少个 多少只 多少头 数目: number count amount quantity population | 列出 列一下: list
筛选 过滤: filter | 分组: group | 详情 详细 信息 资料 介绍 细节 讲讲: details information info detail describe
特征 特点 属性 性质: characteristic property feature properties | 大小 尺寸 多大: size dimension big | 活动: event activity
# question words
谁 何人 哪位 哪个人: who person name | 什么时候 何时 哪天 哪会儿 几时: when date time | 多少 几个 几只 几本: how_many number count amount quantity
怎样 如何 怎么: how way method guide | 为什么 原因: why reason cause
# single characters, the heads of many words
费: cost fee expense | 价: price cost | 率: rate ratio | 税: tax | 钱: money amount price cost pay cash dollars bucks | 币: currency coin | 股: stock share
债: bond debt | 贷: loan | 险: insurance risk | 薪: salary | 店: store shop | 馆: venue restaurant hotel library museum | 站: station stop
城: city | 国: country | 县 村 镇: county village town | 路 街: road street route | 车: car vehicle train drive | 船: ship boat
机: machine device plane | 票: ticket | 病: disease | 药: medicine drug | 血: blood | 雨: rain | 雪: snow | 风: wind | 酒: wine alcohol
茶: tea | 鱼: fish | 鸟: bird | 花: flower spend | 树: tree forest | 海: sea ocean | 岛: island | 桥: bridge | 队: team
赛: match game competition race | 奖: award prize | 歌: song music | 曲: music song melody tune | 舞: dance | 剧 戏: play show drama theater
书: book | 诗: poem | 画: painting draw picture | 图: image chart map picture | 词: word term | 话: speech talk text | 信: letter message
菜: dish food vegetable recipe | 饭 餐: meal food eat restaurant | 汤: soup | 糖: sugar | 油: oil fuel | 电: electric electricity power
热: heat hot thermal | 光: light | 声: sound | 针: needle hand | 球: ball sphere | 角: angle | 圆: circle | 点: point | 线: line | 码: code
法: law method | 罪: crime offense conviction | 案: case | 史: history | 战: war battle | 王: king | 神: god | 佛: buddhism buddha
家: home house | 房: house room property | 门: door | 墙: wall | 灯: light lamp | 衣: clothes | 发: send hair | 买: buy purchase
卖: sell sale | 租: rent rental | 订: book order reserve | 退: refund return cancel | 寄: send mail ship | 存: save deposit store
取: withdraw get pick | 转: transfer convert | 写: write | 读: read | 听: listen play | 唱: sing song | 吃: eat food | 住: stay live hotel
穿: wear clothes | 玩: play game fun | 走: walk route go | 跑: run | 飞: fly flight | 游: tour swim travel | 查: query check look | 搜: search
找: find search | 译: translate | 求: calculate find solve | 算: calculate | 减: subtract minus reduce | 乘: multiply | 除: divide
# more money
换: exchange convert swap change | 金额 数额 总额 总价: amount total sum value
消费税 增值税 关税 资本利得税 资本利得: sales_tax capital_gains vat duty tax gain gains | 赡养费 抚养费 离婚 前妻 前夫: alimony divorce spouse child_support ex
债务 欠款 负债率 欠: debt owe liability | 信贷 资格 审批 批准 批: eligibility eligible approve approval qualify
养老 退休 退休金 社保: retirement pension social | 遗产 遗嘱 继承: inheritance will estate | 捐款 慈善: donate charity donation
贵重金属 黄金 白银 金价 盎司 铂金 铜: gold silver metal ounce platinum copper | 大宗商品 原油 石油: commodity oil crude
期权 期货 对冲: option futures hedge derivative | 年金 现金流: annuity cash_flow | 均价 平均价格: average_price | 最低价 最便宜: lowest_price cheapest
付多少 结账 买单 合计多少: pay bill total checkout till payment | 品牌 牌子: brand | 数量单位 件 瓶 斤 盒: quantity item items
# more places and trips
欧洲 欧洲史: europe european euro | 美国 美国史 美利坚: us usa america american united_states | 中国 中国史: china chinese | 印度: india indian
日本: japan japanese | 英国: uk british england britain | 法国: france french | 德国: germany german | 行程时间 通勤 路上要多久 车程: travel_time commute
出发 起点: departure origin from start | 到达 终点 目的地: arrival destination | 直达 转车 换乘: direct transfer
好玩 玩的地方 逛 打卡: fun sightseeing popular things_to place | 热门 受欢迎 流行的 人气: popular trending popularity famous
亲子 带孩子 儿童 小孩: kids children family kid child | 自然保护区 保护区 国家公园: reserve nature national_park
坡 斜坡 陡坡 水土流失 侵蚀: slope hill erosion steep | 天桥 隧道 大坝: bridge tunnel dam | 高楼 摩天: tall building skyscraper
地块 地产 产权 业主: county parcel property_records deed plot
# more nature
小麦 水稻 玉米 粮食 亩产 产量 收成 作物: wheat crop yield harvest corn rice production | 种 种什么 栽 养 长: plant grow cultivate growing
气温变化 升温 降温: temperature change | 水: water | 冰: ice | 沸腾 烧开 开水 水开: boil boiling | 融化 结冰 蒸发 相变: melt melting freeze phase evaporate
能见度 雾: visibility fog | 雷 闪电 雷暴: thunder lightning | 干旱: drought | 绿化 保护: conservation protect
# more science
电阻 电阻率 导线 铜丝 电线: resistance resistivity wire | 电感 谐振 共振: inductance inductor resonant resonance | 磁通 感应: flux induction induced
透镜 折射 反射: lens refraction reflection | 温度换算: temperature_converter | 功能 结构 构造 机制: function structure functioning mechanism
直线运动 匀速 路程: motion distance travelled | 高度 从高处: height dropped | 合成 配比 混合 混 调出 搅拌: mix mixture blend combine
颜料 水彩 橙色 紫色 黄色 粉色: paint pigment watercolor watercolour orange purple yellow pink color
时针 分针 钟面 表盘: clock hands hand hour minute angle | 密码子 核苷酸 碱基: nucleotide dna base | 蛋白: protein | 核磁 磁共振 扫描 脑部: mri scan fmri brain
患者 病人 病历: patient | 光密度 稀释: optical dilution | 置信区间 置信度 区间: confidence interval
决策树 随机森林 神经网络: decision_tree classifier random_forest neural_network | 决定系数 残差: r_squared determination residual
t检验 双样本 独立样本: t-test ttest two-sample samples | 分解 质因数分解 拆成: factorization factorize decompose break_down factors
集合 元素个数: collection set count | 范数 勾股数: norm hypot | 多项式 区间内: polynomial interval | 高斯: gaussian
寿命 平均寿命 预期寿命: life_expectancy lifespan live
# more law and history
处罚 惩罚 罚款 刑罚 刑期 坐几年牢: punishment penalty fine sentence statute
偷 盗窃 偷东西 抢劫 诈骗 杀人 谋杀 入室: theft steal shoplifting robbery fraud murder burglary crime | 重罪 轻罪 罪名: felony felonies offense misdemeanor
法官 法庭审理 审理: judge trial hearing | 当事人 双方 一方: party parties litigant | 陪审 证据: jury evidence | 法案 法令 法: act bill legislation
房东 租客 租赁 出租人: landlord tenant lease rental contract | 起草 拟 草拟 写一份: draft generate write create | 协议书 合约: agreement contract
副手 副总统 白宫 任期 执政: presidency vice_president president administration white_house deputy | 危机 大萧条: crisis event depression
时间线 大事记 经过 按时间: timeline chronology chronological order | 重要人物 关键人物: important figures key | 影响 意义: impact influence significance
改革者 思想 哲学: philosophy philosopher thought
# more play
洗牌 抽牌 发牌 抽几张 抽: shuffle draw deal cards deck | 招式 技能 绝招 学会: move moves skill ability learn
装备 武器 道具 物品属性: equipment item weapon armor gear stats | 走棋 下棋 开局 落子: chess move moves opening | 多人 联机 双人: multiplayer player players
主题: theme topic | 得分王 射手榜: top_scorer | 胜场 胜率 负场: winning win wins percentage record | 橄榄球: nfl rugby football
节奏 拍 每分钟 鼓点 嘻哈 电子乐: beat bpm rhythm tempo hip_hop loop | 和声 和弦进行 小节: chord progression measures harmony
混音 作曲 谱曲: compose composer mix composition | 听歌 歌单: playlist song | 上演 新片 片单 排片: release releases showtimes theater
绘图 画长方形: draw rectangle | 展品 展出: exhibition exhibit | 门票价格: ticket_price admission
# more home, body, work
营养成分 成分表: nutrition nutritional information | 有机: organic | 消耗 燃烧 消耗掉 燃脂: burn calorie calories | 走多少步 步: steps walk
饮食习惯 生活方式 碳足迹: lifestyle footprint carbon_footprint | 卧室 浴室 几室 户型: bedroom bathroom floor_plan | 办公室 会议室 工位: office meeting_room
律师经验 经验 资历: experience | 部门 人事 人力: department hr employee | 数字 数: number digits | csv 载入 加载 导入 读入: load import csv loading
数据源 路径: path source | 导出: export | 主持 演讲: speech presentation | 主意 想法: idea | 话题: topic | 密钥 加密: encrypt key
通知 推送: notification notify push | 订阅: subscribe subscription | 分享: share | 投诉 反馈: complaint feedback | 优先级: priority
会员 积分: loyalty member points
`;

interface Table {
  /** Numbers of the meanings that a word stands for. */
  chinese: Map<string, number[]>;
  /** By the root, or the two roots, of the words. */
  english: Map<string, number[]>;
  longest: number;
}
let known: Table | undefined;

function table(): Table {
  if (known) return known;
  const chinese = new Map<string, number[]>();
  const english = new Map<string, number[]>();
  const add = (to: Map<string, number[]>, word: string, meaning: number) => to.set(word, [...(to.get(word) ?? []), meaning]);
  const lines = TABLE.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const [meaning, text] of lines.flatMap((line) => line.split(' | ')).entries()) {
    const [zh, en] = text.split(': ') as [string, string];
    for (const word of new Set(zh.split(' '))) add(chinese, word, meaning);
    for (const word of new Set(en.split(' ').map((words) => words.split(/[_-]/).map(stem).map(rootOf).join(' '))))
      add(english, word, meaning);
  }
  known = { chinese, english, longest: Math.max(...[...chinese.keys()].map(({ length }) => length)) };
  return known;
}

/**
 * For each word of the text that is known the meanings it may have. `roots`: the English words and pairs of the text. Of the Chinese ones
 * those count that are no part of a longer one; 判过刑 is read as 判刑, too.
 */
export function meaningsOf(text: string, roots: Iterable<string>): (readonly number[])[] {
  const { english } = table();
  const bare = text.replace(/[了过着]/g, '');
  const found = [...chineseIn(text), ...(bare === text ? [] : chineseIn(bare))];
  for (const root of roots) {
    const meanings = english.get(root);
    if (meanings) found.push(meanings);
  }
  return found;
}

function chineseIn(text: string): (readonly number[])[] {
  const { chinese, longest } = table();
  const found: (readonly number[])[] = [];
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    let length = Math.min(longest, text.length - at);
    while (length > 0 && !chinese.has(text.slice(at, at + length))) length--;
    if (length === 0 || at + length <= end) continue;
    found.push(chinese.get(text.slice(at, at + length))!);
    end = at + length;
  }
  return found;
}
