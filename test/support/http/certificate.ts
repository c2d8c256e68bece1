/** Self-signed certificates, made on the spot: no private key lies in the repository, and none runs out. */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface CertificateOptions {
  readonly dnsNames?: readonly string[]
  readonly ipAddresses?: readonly string[]
  readonly from?: Date
  readonly to?: Date
}

const DAY_MS = 86_400_000

/** A certificate (X.509 version 3, P-256) that signs itself; valid from yesterday until tomorrow unless said otherwise. */
export function selfSigned(options: CertificateOptions): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const { from = new Date(Date.now() - DAY_MS), to = new Date(Date.now() + DAY_MS) } = options
  const algorithm = sequence(objectId('2a8648ce3d040302')) // ecdsa-with-SHA256
  const name = sequence(
    der(0x31, sequence(objectId('550403'), utf8(`headcount test ${randomBytes(4).toString('hex')}`))),
  ) // commonName
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])), // serial number, positive
    algorithm,
    name,
    sequence(time(from), time(to)),
    name,
    publicKey,
    der(0xa3, sequence(alternativeNames(options))),
  )
  const signature = sign('sha256', toBeSigned, createPrivateKey(privateKey))
  const whole = sequence(toBeSigned, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n')
  return { key: privateKey, cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n` }
}

function alternativeNames({ dnsNames = [], ipAddresses = [] }: CertificateOptions): Buffer {
  const names = [
    ...dnsNames.map((name) => der(0x82, Buffer.from(name))),
    ...ipAddresses.map((address) => der(0x87, Buffer.from(address.split('.').map(Number)))),
  ]
  return sequence(objectId('551d11'), der(0x04, sequence(...names)))
}

function der(tag: number, content: Buffer): Buffer {
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function utf8(text: string): Buffer {
  return der(0x0c, Buffer.from(text))
}

/** GeneralizedTime, to the second. */
function time(date: Date): Buffer {
  return der(
    0x18,
    Buffer.from(
      `${date
        .toISOString()
        .replace(/\.\d+Z$/, '')
        .replace(/[-:T]/g, '')}Z`,
    ),
  )
}
