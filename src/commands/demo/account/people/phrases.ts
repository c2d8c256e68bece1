/** What people write beside their reply, by language. */
export type Language = keyof typeof phrases

export const phrases = {
  german: [
    'Wir freuen uns sehr!',
    'Komme etwas später, bitte einen Platz freihalten.',
    'Bringe Apfelkuchen mit, ohne Nüsse.',
    'Ist der Eingang mit dem Kinderwagen erreichbar?',
    'Schöne Grüße aus dem Süden, bis bald 🌻',
  ],
  polish: [
    'Będziemy całą rodziną.',
    'Przyniosę gitarę i śpiewnik.',
    'Dziękuję za zaproszenie!',
    'Może się trochę spóźnię.',
  ],
  turkish: [
    'Görüşmek üzere!',
    'Çocuklarla birlikte geliyoruz.',
    'Börek getireceğim 🥧',
    'Teşekkürler, çok güzel bir fikir.',
  ],
  spanish: [
    '¡Allí estaremos!',
    'Llevo tortilla para diez.',
    '¿Hay sitio para dejar las bicicletas?',
    'Mañana confirmo si viene mi hermana.',
  ],
  english: [
    'Looking forward to it!',
    'Can bring a folding table.',
    'Two of us are vegetarian.',
    'Might be ten minutes late, please start without me.',
    "It's my first time, is there anything to prepare?",
    'Count me in 🎉',
  ],
  ukrainian: [
    'Дякую, обов’язково прийдемо!',
    'Принесу вареники.',
    'Чи можна з дитиною?',
    'Трохи запізнюся, вибачте.',
  ],
  russian: [
    'Спасибо, будем рады!',
    'Могу помочь с посудой.',
    'Приду с сестрой.',
    'Есть ли место для коляски?',
  ],
  greek: ['Ευχαριστώ πολύ!', 'Θα έρθουμε όλοι μαζί.', 'Φέρνω ελιές και ψωμί.', 'Ίσως αργήσω λίγο.'],
  arabic: ['شكرا على الدعوة!', 'سنأتي مع الأطفال.', 'هل يوجد موقف للسيارات؟', 'سأحضر التمر والقهوة ☕'],
  hebrew: ['תודה רבה, נגיע בשמחה!', 'אביא סלט גדול.', 'אולי נאחר קצת.', 'האם המקום נגיש?'],
  hindi: ['बहुत धन्यवाद, हम ज़रूर आएँगे!', 'मैं मिठाई लेकर आऊँगी।', 'थोड़ी देर हो सकती है।', 'क्या बच्चों के लिए जगह है?'],
  chinese: ['谢谢邀请,我们一定来!', '我会带饺子。', '可以带两个孩子吗?', '可能会晚到十分钟。'],
  japanese: [
    '楽しみにしています!',
    'おにぎりを持っていきます。',
    '少し遅れるかもしれません。',
    '子ども連れでも大丈夫ですか?',
  ],
  korean: [
    '초대해 주셔서 감사합니다!',
    '김밥을 가져갈게요.',
    '조금 늦을 수도 있어요.',
    '아이와 함께 가도 되나요?',
  ],
} as const satisfies Record<string, readonly string[]>
