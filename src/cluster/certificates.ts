// The certificates of the NATS servers that masters start. The key of their authority follows from `cluster_secret`, so that masters trust
// each other without exchanging anything; each start of a master makes a new key for its own certificate.
import { createPrivateKey, generateKeyPairSync, type KeyObject, scrypt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import type { SupervisedServer } from './settings.ts'

type Tools = typeof import('../x509/mod.ts')

/**
 * Each guess at a secret costs 64 MB of memory, because a host that reaches the port sees a certificate derived from
 * the secret.
 */
const COST = { N: 1 << 16, r: 8, p: 1, maxmem: 128 << 20 }
const SEED_BYTES = 32
/** The bytes before the seed in a private key of Ed25519 (PKCS 8). */
const ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
/** Certificates are valid forever: a machine whose clock is wrong must find the others. */
const VALID = [
  ['not_before', '2000-01-01 00:00:00'],
  ['not_after', '9999-12-31 23:59:59'],
] as const

/** The key of the authority of a cluster; the same on every master. */
async function authorityKey(name: string, secret: string): Promise<KeyObject> {
  const derive = promisify<string, string, number, typeof COST, Buffer>(scrypt)
  const seed = await derive(secret, `brine cluster ${name} authority`, SEED_BYTES, COST)
  return createPrivateKey({ key: Buffer.concat([ED25519, seed]), format: 'der', type: 'pkcs8' })
}

/** Write the certificate of the authority, and a new key with its certificate, for a server and for the client beside it. */
export async function writeCertificates(
  name: string,
  { address, secret, tls }: Pick<SupervisedServer, 'address' | 'secret' | 'tls'>,
): Promise<void> {
  const tools = await import('../x509/mod.ts')
  const authority = await authorityKey(name, secret)
  const ca = made(tools, authority, authority, [
    ['CN', `Brine cluster ${name}`],
    ['serial_number', 1],
    ['basicConstraints', 'critical, CA:TRUE, pathlen:0'],
    ['keyUsage', 'critical, keyCertSign'],
  ])
  const { privateKey } = generateKeyPairSync('ed25519')
  const names = [`DNS:${tls.servername}`, `${isIP(address) === 0 ? 'DNS' : 'IP'}:${address}`]
  const own = made(
    tools,
    privateKey,
    authority,
    [
      ['CN', tls.servername],
      ['subjectAltName', names.join(', ')],
      ['basicConstraints', 'critical, CA:FALSE'],
      ['keyUsage', 'critical, digitalSignature'],
      ['extendedKeyUsage', 'serverAuth, clientAuth'],
    ],
    ca,
  )
  const files = [
    [tls.ca, tools.toPem('CERTIFICATE', ca)],
    [tls.cert, tools.toPem('CERTIFICATE', own)],
    [tls.key, privateKey.export({ format: 'pem', type: 'pkcs8' })],
  ] as const
  for (const [file, text] of files) writeFileSync(file, text, { mode: 0o600 })
}

/** A certificate for a key, signed by another one. */
function made(
  tools: Tools,
  key: KeyObject,
  signer: KeyObject,
  options: ReadonlyArray<readonly [string, string | number]>,
  authority?: Uint8Array,
): Uint8Array {
  const parts = {
    now: new Date(),
    publicKey: tools.publicBytes(key),
    ...(authority && { authority: tools.loadCertificate(authority).certificate }),
  }
  return tools.signCertificate(tools.planCertificate(new Map([...VALID, ...options]), parts), signer, 'sha256')
}
