import type { Random } from './random.ts'

export interface Person {
  readonly name: string
  readonly email: string
  /** What somebody of this language writes beside a reply. */
  readonly phrases: readonly string[]
}

/** Where the people live decides which languages one meets: every house has all of them, in other shares. */
export type Place = 'berlin' | 'brooklyn' | 'kolkata'

interface Language {
  /** `native` or `native=latin`, where the Latin form makes the e-mail address. */
  readonly given: string
  readonly family: string
  /** How the two are put together where it is not given name, space, family name. */
  readonly order?: 'family given' | 'familygiven'
  readonly phrases: readonly string[]
  readonly shares: Readonly<Partial<Record<Place, number>>>
}

const languages: readonly Language[] = [
  {
    given: 'Jürgen Käthe Björn Änne Sören Lieselotte Günther Zoë Matthias Frauke Jörg Till Ömer Ruth',
    family: 'Müller Schröder Weiß Großmann Böhm Krüger Vogt Lüders Strauß Bäcker Nowak Jäger Röder Kühn',
    phrases: ['Wir freuen uns sehr!', 'Komme etwas später.', 'Bringe Apfelkuchen mit.', 'Bis bald 🌻'],
    shares: { berlin: 9, kolkata: 1 },
  },
  {
    given: 'Łukasz Żaneta Stanisław Małgorzata Paweł Agnieszka Grażyna Wojciech Zofia Michał',
    family: 'Wiśniewski Wójcik Kamiński Dąbrowska Szymańska Woźniak Kozłowski Jabłoński Piątek Gołąb',
    phrases: ['Będziemy całą rodziną.', 'Przyniosę gitarę i śpiewnik.', 'Może się trochę spóźnię.'],
    shares: { berlin: 4, brooklyn: 1 },
  },
  {
    given: 'Siân Maeve Clarence Odette Theo Priscilla Imogen Rosa Desmond Adaeze Kwame Ffion Otis Nora',
    family: "O'Shea Whitfield Baptiste Okonkwo Lindqvist Mbeki Rossi Carver Llewellyn Osei Price Novák",
    phrases: [
      'Looking forward to it!',
      'Can bring a folding table.',
      'Two of us are vegetarian.',
      "It's my first time, is there anything to prepare?",
      'Count me in 🎉',
    ],
    shares: { berlin: 2, brooklyn: 8, kolkata: 5 },
  },
  {
    given: 'Олена=olena Тарас=taras Наталія=nataliia Богдан=bohdan Соломія=solomiia Юрій=yurii Ґанна=ganna',
    family: 'Шевчук=shevchuk Коваленко=kovalenko Їжак=yizhak Левченко=levchenko Бондар=bondar',
    phrases: ['Дякую, обов’язково прийдемо!', 'Принесу вареники.', 'Чи можна з дитиною?'],
    shares: { berlin: 4, brooklyn: 1 },
  },
  {
    given: 'Ελένη=eleni Γιώργος=giorgos Δήμητρα=dimitra Νίκος=nikos Σοφία=sofia Θανάσης=thanasis',
    family: 'Παπαδόπουλος=papadopoulos Ψαρά=psara Καραγιάννη=karagianni Ξένος=xenos Φωτίου=fotiou',
    phrases: ['Ευχαριστώ πολύ!', 'Θα έρθουμε όλοι μαζί.', 'Φέρνω ελιές και ψωμί.', 'Ίσως αργήσω λίγο.'],
    shares: { berlin: 3, brooklyn: 1 },
  },
  {
    given: 'ليلى=layla يوسف=yusuf مريم=maryam خالد=khalid نور=nour سامي=sami هدى=huda عمر=omar',
    family: 'الحداد=alhaddad منصور=mansour الخوري=alkhoury نجار=najjar حسن=hassan قاسم=qasim',
    phrases: ['شكرا على الدعوة!', 'سنأتي مع الأطفال.', 'هل يوجد موقف للسيارات؟', 'سأحضر التمر والقهوة ☕'],
    shares: { berlin: 3, brooklyn: 2 },
  },
  {
    given: 'נועה=noa דוד=david תמר=tamar אורי=uri שירה=shira יונתן=yonatan רחל=rachel איתן=eitan',
    family: 'כהן=cohen מזרחי=mizrahi פרידמן=friedman ביטון=biton שפירא=shapira גולן=golan',
    phrases: ['תודה רבה, נגיע בשמחה!', 'אביא סלט גדול.', 'אולי נאחר קצת.', 'האם המקום נגיש?'],
    shares: { brooklyn: 4 },
  },
  {
    given: 'अनिता=anita राजेश=rajesh प्रिया=priya विक्रम=vikram सुनीता=sunita अर्जुन=arjun कविता=kavita ऋतु=ritu',
    family: 'शर्मा=sharma सिंह=singh त्रिवेदी=trivedi मिश्रा=mishra चटर्जी=chatterjee जोशी=joshi ठाकुर=thakur',
    phrases: ['बहुत धन्यवाद, हम ज़रूर आएँगे!', 'मैं मिठाई लेकर आऊँगी।', 'थोड़ी देर हो सकती है।'],
    shares: { kolkata: 9 },
  },
  {
    given: '花子=hanako 健太=kenta さくら=sakura 陽翔=haruto 美咲=misaki ユウキ=yuki 直樹=naoki 結衣=yui',
    family: '佐藤=sato 鈴木=suzuki 高橋=takahashi 田中=tanaka 渡邊=watanabe 小林=kobayashi 中村=nakamura',
    order: 'family given',
    phrases: ['楽しみにしています!', 'おにぎりを持っていきます。', '子ども連れでも大丈夫ですか?'],
    shares: { kolkata: 4 },
  },
  {
    given: '민준=minjun 서연=seoyeon 지훈=jihun 하은=haeun 도윤=doyun 수빈=subin 예린=yerin 현우=hyeonu',
    family: '김=kim 이=lee 박=park 최=choi 정=jung 강=kang 윤=yoon 한=han',
    order: 'familygiven',
    phrases: ['초대해 주셔서 감사합니다!', '김밥을 가져갈게요.', '조금 늦을 수도 있어요.'],
    shares: { brooklyn: 5 },
  },
]

/** Mail domains that belong to nobody (RFC 2606). */
const domains = ['example.org', 'example.com', 'example.net', 'mail.example', 'post.example']

/** `count` people of a place; no two share an e-mail address. */
export function generatePeople(place: Place, count: number, random: Random): Person[] {
  const weights = languages.map((language) => [language, language.shares[place] ?? 0.3] as const)
  const taken = new Set<string>()
  return Array.from({ length: count }, () => {
    const { given, family, order, phrases } = random.weighted(weights)
    const [givenName, givenLatin] = spellings(random.pick(given.split(' ')))
    const [familyName, familyLatin] = spellings(random.pick(family.split(' ')))
    const domain = random.pick(domains)
    let email = `${givenLatin}.${familyLatin}@${domain}`
    for (let number = 2; taken.has(email); number++) email = `${givenLatin}.${familyLatin}${number}@${domain}`
    taken.add(email)
    const parts = order === undefined ? [givenName, familyName] : [familyName, givenName]
    return { name: parts.join(order === 'familygiven' ? '' : ' '), email, phrases }
  })
}

/** `native=latin`, or a Latin name whose plain form is found by taking the marks off its letters. */
function spellings(entry: string): [native: string, latin: string] {
  const [native = entry, latin = native] = entry.split('=')
  const plain = latin.toLowerCase().replaceAll('ß', 'ss').replaceAll('ł', 'l').normalize('NFD')
  return [native, plain.replaceAll(/[^a-z]/g, '')]
}

/** Most people write nothing. */
export function messageOf({ phrases }: Person, random: Random): string {
  return random.chance(0.45) ? random.pick(phrases) : ''
}
