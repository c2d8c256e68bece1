import type { Language } from './phrases.ts'

/** The names of one language: `native` or `native=latin`, where the Latin form makes the e-mail address. */
export interface NameStock {
  readonly language: Language
  readonly given: readonly string[]
  readonly family: readonly string[]
  /** How the two are put together where it is not given name, space, family name. */
  readonly order?: 'family given' | 'familygiven'
}

const words = (text: string) => text.split(' ')

export const nameStocks: readonly NameStock[] = [
  {
    language: 'german',
    given: words(
      'Jürgen Käthe Björn Änne Sören Lieselotte Günther Zoë Matthias Frauke Jörg Anneliese Till Ömer Hedwig Ruth',
    ),
    family: words(
      'Müller Schröder Weiß Großmann Böhm Krüger Vogt Lüders Strauß Hartwig Bäcker Nowak Jäger Petersen Röder Kühn',
    ),
  },
  {
    language: 'polish',
    given: words('Łukasz Żaneta Stanisław Małgorzata Paweł Agnieszka Grażyna Wojciech Zofia Michał'),
    family: words('Wiśniewski Wójcik Kamiński Dąbrowska Szymańska Woźniak Kozłowski Jabłoński Piątek Gołąb'),
  },
  {
    language: 'turkish',
    given: words('Ayşe İbrahim Çağla Şükrü Gülşen Oğuz Işıl Emre Zeynep Tuğba'),
    family: words('Yıldız Öztürk Şahin Çelik Güneş Doğan Kılıç Aydın Koç Özgür'),
  },
  {
    language: 'spanish',
    given: words('Íñigo Núria Joaquín Begoña Andrés Lucía Martín Inés Óscar Pilar'),
    family: words('Muñoz Ibáñez Peña García Núñez Rodríguez Castaño Vázquez Ordóñez Ríos'),
  },
  {
    language: 'english',
    given: words(
      'Siân Maeve Clarence Odette Theo Priscilla Wendell Imogen Rosa Desmond Adaeze Kwame Ffion Beatrice Otis Nora',
    ),
    family: words(
      "O'Shea Whitfield Baptiste Okonkwo Lindqvist Fairweather Mbeki Ashdown Rossi Carver Llewellyn Osei Dunne Price Novák Banks",
    ),
  },
  {
    language: 'ukrainian',
    given: words(
      'Олена=olena Тарас=taras Наталія=nataliia Богдан=bohdan Соломія=solomiia Юрій=yurii Ґанна=ganna Андрій=andrii',
    ),
    family: words(
      'Шевчук=shevchuk Коваленко=kovalenko Їжак=yizhak Мельник=melnyk Левченко=levchenko Гриценко=hrytsenko Бондар=bondar Єременко=yeremenko',
    ),
  },
  {
    language: 'russian',
    given: words('Ирина=irina Фёдор=fyodor Татьяна=tatyana Семён=semyon Ольга=olga Пётр=pyotr'),
    family: words(
      'Воробей=vorobey Щукина=shchukina Журавль=zhuravl Берёза=beryoza Мороз=moroz Зайцева=zaytseva',
    ),
  },
  {
    language: 'greek',
    given: words(
      'Ελένη=eleni Γιώργος=giorgos Δήμητρα=dimitra Νίκος=nikos Σοφία=sofia Θανάσης=thanasis Χρύσα=chrysa Σπύρος=spyros',
    ),
    family: words(
      'Παπαδόπουλος=papadopoulos Ψαρά=psara Καραγιάννη=karagianni Ξένος=xenos Αλεξίου=alexiou Μαυρίδης=mavridis Φωτίου=fotiou Κυριακού=kyriakou',
    ),
  },
  {
    language: 'arabic',
    given: words('ليلى=layla يوسف=yusuf مريم=maryam خالد=khalid نور=nour سامي=sami هدى=huda عمر=omar'),
    family: words(
      'الحداد=alhaddad منصور=mansour الخوري=alkhoury نجار=najjar حسن=hassan الشامي=alshami درويش=darwish قاسم=qasim',
    ),
  },
  {
    language: 'hebrew',
    given: words('נועה=noa דוד=david תמר=tamar אורי=uri שירה=shira יונתן=yonatan רחל=rachel איתן=eitan'),
    family: words(
      'כהן=cohen מזרחי=mizrahi פרידמן=friedman ביטון=biton אברהם=avraham שפירא=shapira דיין=dayan גולן=golan',
    ),
  },
  {
    language: 'hindi',
    given: words(
      'अनिता=anita राजेश=rajesh प्रिया=priya विक्रम=vikram सुनीता=sunita अर्जुन=arjun कविता=kavita मोहन=mohan ऋतु=ritu दीपक=deepak',
    ),
    family: words(
      'शर्मा=sharma सिंह=singh त्रिवेदी=trivedi मिश्रा=mishra वर्मा=verma चटर्जी=chatterjee कृष्णन=krishnan जोशी=joshi गुप्ता=gupta ठाकुर=thakur',
    ),
  },
  {
    language: 'chinese',
    given: words('秀英=xiuying 伟=wei 芳=fang 子轩=zixuan 丽娜=lina 建国=jianguo 雨桐=yutong 思远=siyuan'),
    family: words('王=wang 李=li 陈=chen 欧阳=ouyang 赵=zhao 林=lin 黄=huang 吴=wu'),
    order: 'familygiven',
  },
  {
    language: 'japanese',
    given: words(
      '花子=hanako 健太=kenta さくら=sakura 陽翔=haruto 美咲=misaki ユウキ=yuki 直樹=naoki 結衣=yui',
    ),
    family: words(
      '佐藤=sato 鈴木=suzuki 高橋=takahashi 田中=tanaka 渡邊=watanabe 小林=kobayashi 中村=nakamura 石川=ishikawa',
    ),
    order: 'family given',
  },
  {
    language: 'korean',
    given: words(
      '민준=minjun 서연=seoyeon 지훈=jihun 하은=haeun 도윤=doyun 수빈=subin 예린=yerin 현우=hyeonu',
    ),
    family: words('김=kim 이=lee 박=park 최=choi 정=jung 강=kang 윤=yoon 한=han'),
    order: 'familygiven',
  },
]
