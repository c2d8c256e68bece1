import { expect, test } from 'vitest'
import { parseMailSender } from '../../../../src/outputs/notify/mail-settings.ts'
import { outlineHtml } from '../../../../src/outputs/notify/outline/html.ts'
import { outlineSlack } from '../../../../src/outputs/notify/outline/slack.ts'
import { parseRecipients, recipientKey, secretsOf } from '../../../../src/outputs/notify/recipient.ts'
import { retryWait } from '../../../../src/outputs/notify/send/back-off.ts'
import { errorLine } from '../../../../src/outputs/notify/send/result.ts'

test('recipients stand between blanks and commas, each once', () => {
  const found = parseRecipients(
    ' mailto:a@example.org,b%2Bc@example.org\nhttps://hooks.slack.com/services/T0/B0/xyz\nhttps://example.org/hook?k=1 mailto:a@EXAMPLE.org ',
  )
  expect(found).toEqual([
    { kind: 'mail', address: 'a@EXAMPLE.org' },
    { kind: 'mail', address: 'b+c@example.org' },
    { kind: 'slack', url: 'https://hooks.slack.com/services/T0/B0/xyz' },
    { kind: 'json', url: 'https://example.org/hook?k=1' },
  ])
})

test('an address of the web is shown without what is secret in it', () => {
  const [recipient] = parseRecipients('https://hooks.slack.com/services/T0/B0/xyz')
  if (recipient === undefined) throw new Error('one was expected')
  expect(recipientKey(recipient).shown).toMatch(/^https:\/\/hooks\.slack\.com\/… \([0-9a-f]{8}\)$/)
  expect(secretsOf(recipient)).toContain('/services/T0/B0/xyz')
  const [bare] = parseRecipients('https://x.example/')
  expect(bare && secretsOf(bare)).toEqual([])
})

const S = '[secret]'

test.each([
  ['https://example.org/mysecrettopic', 'no such topic: mysecrettopic', `no such topic: ${S}`],
  ['https://example.org/mysecrettopic/json', 'no such topic: mysecrettopic', `no such topic: ${S}`],
  ['https://example.org/h?token=abcdefghsecret', 'wrong token abcdefghsecret', `wrong token ${S}`],
  ['https://example.org/h?abcdefghsecret', 'wrong token abcdefghsecret', `wrong token ${S}`],
  ['https://example.org/aaSECRET1%2Fmore%zz/q', 'no such hook: aaSECRET1/more%zz', `no such hook: ${S}`],
  [
    'https://example.org/ab%2Dcd%45fgh1',
    'no ab-cdEfgh1, none at /ab-cdEfgh1, no ab%2Dcd%45fgh1',
    `no ${S}, none at ${S}, no ${S}`,
  ],
  [
    'https://example.org/h?token=a+b%C3%BCcdef',
    'no a bücdef, no a+b%C3%BCcdef, no a+bücdef',
    `no ${S}, no ${S}, no ${S}`,
  ],
  ['https://example.org/abcdef/abcdefgh', 'no abcdefgh', `no ${S}`],
  ['https://example.org/%zz-abcdef', 'no %zz-abcdef', `no ${S}`],
  ['https://example.org/hook1', 'no hook1', 'no hook1'],
  [
    'https://hooks.slack.com/services/T0B1C2D3/B0B1C2D3/abcdefgh',
    'no such services: T0B1C2D3, abcdefgh, /services/T0B1C2D3/B0B1C2D3/abcdefgh',
    `no such services: ${S}, ${S}, ${S}`,
  ],
])('no part of %s is told, when an answer quotes it', (url, answer, told) => {
  const [recipient] = parseRecipients(url)
  if (recipient === undefined) throw new Error('one was expected')
  expect(errorLine(answer, secretsOf(recipient))).toBe(told)
})

test.each([
  'https://me:pass@example.org/hook',
  'http://example.org/hook',
  'https://hooks.slack.com.example.org/services/T0/B0/xyz#x',
  'mailto:',
  'mailto:a@b,c',
  'mailto:<a@b.example>',
  'ftp://example.org',
  '',
])('%j is no recipient, and is not repeated where it may be secret', (text) => {
  expect(() => parseRecipients(text)).toThrow(/^must /)
  if (text.startsWith('http')) expect(() => parseRecipients(text)).not.toThrow(/me:pass|hook|xyz/)
})

test('another host with the path of Slack is no Slack', () => {
  expect(parseRecipients('https://example.org/services/T0/B0/xyz')).toMatchObject([{ kind: 'json' }])
  expect(parseRecipients('http://127.0.0.1:8080/services/T0/B0/xyz')).toMatchObject([{ kind: 'slack' }])
})

test('a sender is an address, with a name or without', () => {
  expect(parseMailSender('"Head, Count" <h@example.org>')).toEqual({
    name: 'Head, Count',
    address: 'h@example.org',
  })
  expect(parseMailSender('h@example.org')).toEqual({ name: '', address: 'h@example.org' })
  expect(() => parseMailSender('h@example.org\r\nBcc: x@example.org')).toThrow(/must be a mail address/)
})

test('a message is tried again after a minute, twice that, and so on up to an hour; a refused one much later', () => {
  const transient = { isPermanent: false, retryAfterMs: null }
  expect([0, 1, 2, 5, 6, 40].map((failures) => retryWait(failures, transient) / 60_000)).toEqual([
    1, 2, 4, 32, 60, 60,
  ])
  const refused = { isPermanent: true, retryAfterMs: null }
  expect([0, 1, 9].map((failures) => retryWait(failures, refused) / 3_600_000)).toEqual([1, 2, 24])
  expect(retryWait(0, { isPermanent: false, retryAfterMs: 7_200_000 })).toBe(7_200_000)
  expect(retryWait(0, { isPermanent: false, retryAfterMs: 9e9 })).toBe(86_400_000)
})

const hostile = `<img src=x onerror=alert(1)> & <!channel> *bold*`
const outline = {
  title: hostile,
  lead: [hostile],
  parts: [{ heading: hostile, items: [hostile], rest: null }],
  end: [hostile],
}

test('nothing that a guest wrote is markup in a mail', () => {
  const page = outlineHtml(hostile, outline)
  expect(page).not.toContain('<img')
  expect(page.match(/&lt;img src=x onerror=alert\(1\)&gt; &amp;/g)).toHaveLength(6)
})

test('nothing that a guest wrote is markup in Slack', () => {
  const { text, blocks } = outlineSlack(hostile, outline)
  expect(text).toBe('&lt;img src=x onerror=alert(1)&gt; &amp; &lt;!channel&gt; *bold*')
  // Texts of these kinds are literal.
  expect(JSON.stringify(blocks)).not.toMatch(/mrkdwn/)
  expect(blocks[0]).toEqual({ type: 'header', text: { type: 'plain_text', text: hostile, emoji: false } })
})
