// The engine for certificates, as far as clients see it: roles, keys, issuers, and certificates that an issuer signs. No case
// compares it with a real server.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Value } from '../../src/data/mod.ts'
import {
  type Certificate,
  loadCertificate,
  loadRequest,
  planCertificate,
  planRequest,
  publicBytes,
  sameBytes,
  signCertificate,
  signRequest,
  toPem,
} from '../../src/x509/mod.ts'
import { type Answer, data, empty, refusal } from './answers.ts'
import type { Engine } from './kv-engine.ts'
import { newId, spanOf } from './tokens.ts'

type Fields = Record<string, unknown>

interface Authority {
  key: KeyObject
  certificate: Certificate
}

const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

function signed(
  options: Record<string, Value>,
  publicKey: Uint8Array,
  by: Authority | undefined,
  key: KeyObject,
): Certificate {
  const plan = planCertificate(new Map(Object.entries(options)), {
    now: new Date(),
    authority: by?.certificate,
    publicKey,
    request: undefined,
  })
  return loadCertificate(signCertificate(plan, by?.key ?? key, 'sha256')).certificate
}

function authority(name: string, by?: Authority): Authority {
  const key = newKey()
  const options = { CN: name, basicConstraints: 'critical, CA:TRUE', days_valid: 30, subjectKeyIdentifier: 'hash' }
  return { key, certificate: signed(options, publicBytes(key), by, key) }
}

const pem = ({ raw }: Certificate): string => toPem('CERTIFICATE', raw)

const ROLE_DEFAULTS: Fields = { issuer_ref: 'default', ttl: 0, max_ttl: 0, allow_localhost: true, allowed_domains: [] }

interface HeldKey {
  name: string
  key: KeyObject
}

interface Issuer {
  id: string
  name: string
  certificate: Certificate
  /** Undefined where only the certificate was imported. */
  keyId: string | undefined
  more: Fields
}

const LISTS = ['issuing_certificates', 'crl_distribution_points', 'ocsp_servers']

export class PkiEngine implements Engine {
  private readonly roles = new Map<string, Fields>()
  private readonly certificates = new Map<string, { isRevoked: boolean; text: string }>()
  private standard = 'issuer-1'
  private readonly keys = new Map<string, HeldKey>()
  private readonly issuers = new Map<string, Issuer>()
  private urls: Fields = {}

  constructor() {
    const root = authority('Root')
    const issuer = authority('Issuer', root)
    this.keys.set('key-1', { name: '', key: issuer.key })
    this.hold('issuer-1', '', issuer.certificate, 'key-1')
    this.chain = [pem(root.certificate)]
  }

  /** Certificates above the first issuer. */
  private readonly chain: string[]

  handle(method: string, path: string, body: Fields): Answer {
    const parts = path.split('/')
    const [first = '', second = '', third = '', fourth = ''] = parts
    if (first === 'roles') return this.role(method, second, body)
    if (path === 'issuers') return this.listed(this.issuers, (id) => ({ is_default: this.standard === id }))
    if (path === 'keys') return this.listed(this.keys, (_, { name }) => ({ key_name: name }))
    if (path === 'config/issuers') {
      this.standard = String(body.default)
      return empty
    }
    if (path === 'config/urls') return this.addresses(method, body)
    if (path === 'intermediate/set-signed') return this.imported(String(body.certificate))
    if (first === 'issuers' && second === 'import') return this.imported(String(body.pem_bundle))
    if (first === 'keys' && second === 'generate') return this.newKeyAnswer(third, body)
    if (first === 'root' && second === 'generate') return this.root(third, body)
    if (first === 'intermediate' && second === 'generate') return this.request(third, body)
    if (first === 'key' && method === 'DELETE') return this.deleteKey(second)
    if (first === 'issuer' && (parts.length === 2 || third === 'crl')) {
      return this.issuer(method, second, third === 'crl' ? `crl/${fourth}` : '', body)
    }
    if (path === 'certs' || path === 'certs/revoked') {
      const wanted = [...this.certificates].filter(([, { isRevoked }]) => path === 'certs' || isRevoked)
      return wanted.length > 0 ? data({ keys: wanted.map(([serial]) => serial) }) : refusal(404)
    }
    if (first === 'cert') {
      if (second === 'ca') return data({ certificate: pem(this.find('default')!.certificate) })
      const found = this.certificates.get(second)
      return found ? data({ certificate: found.text }) : refusal(404)
    }
    if (path === 'revoke' || path === 'revoke-with-key') return this.revoke(body, path === 'revoke-with-key')
    return this.sign(parts.slice(first === 'issuer' ? 2 : 0), body, first === 'issuer' ? second : 'default')
  }

  private hold(id: string, name: string, certificate: Certificate, keyId: string | undefined): void {
    const usage = keyId === undefined ? 'read-only' : 'read-only,issuing-certificates,crl-signing'
    this.issuers.set(id, { id, name, certificate, keyId, more: { usage } })
  }

  private find(ref: string): Issuer | undefined {
    const id = ref === 'default' ? this.standard : ref
    return this.issuers.get(id) ?? [...this.issuers.values()].find(({ name }) => name === id && name !== '')
  }

  private keyId(ref: string): string | undefined {
    return this.keys.has(ref) ? ref : [...this.keys].find(([, { name }]) => name === ref)?.[0]
  }

  private listed<T>(all: Map<string, T>, facts: (id: string, one: T) => Fields): Answer {
    if (all.size === 0) return refusal(404)
    const info = Object.fromEntries([...all].map(([id, one]) => [id, facts(id, one)]))
    return data({ keys: [...all.keys()], key_info: info })
  }

  private addresses(method: string, body: Fields): Answer {
    if (method === 'GET') return data({ issuing_certificates: [], ocsp_servers: [], ...this.urls })
    for (const [field, value] of Object.entries(body)) {
      const words = Array.isArray(value) ? value : String(value).split(',').filter(Boolean)
      this.urls[field] = LISTS.includes(field) ? words : value
    }
    return data(this.urls)
  }

  /** Make a key, or find the one that a request names. */
  private keyFor(type: string, body: Fields): string | Answer {
    if (type === 'existing') {
      return this.keyId(String(body.key_ref)) ?? refusal(500, `unable to find PKI key for reference: ${body.key_ref}`)
    }
    const name = String(body.key_name ?? '')
    if (name !== '' && this.keyId(name) !== undefined) return refusal(400, 'key name already in use.')
    const id = newId()
    this.keys.set(id, { name, key: newKey() })
    return id
  }

  private shown(type: string, id: string): Fields {
    const { name, key } = this.keys.get(id)!
    const secret = type === 'exported' && { private_key: key.export({ type: 'pkcs8', format: 'pem' }) }
    return { key_id: id, key_name: name, ...secret }
  }

  private newKeyAnswer(type: string, body: Fields): Answer {
    const id = this.keyFor(type, body)
    return typeof id === 'string' ? data({ ...this.shown(type, id), key_type: body.key_type ?? 'rsa' }) : id
  }

  private root(type: string, body: Fields): Answer {
    const name = String(body.issuer_name ?? '')
    if (name !== '' && this.find(name)) return refusal(400, 'issuer name already in use')
    const keyId = this.keyFor(type, body)
    if (typeof keyId !== 'string') return keyId
    const { key } = this.keys.get(keyId)!
    const length = body.max_path_length === undefined ? '' : `, pathlen:${body.max_path_length}`
    const options = { CN: String(body.common_name), basicConstraints: `critical, CA:TRUE${length}`, days_valid: 30 }
    const certificate = signed(options, publicBytes(key), undefined, key)
    const id = newId()
    this.hold(id, name, certificate, keyId)
    return data({ ...this.shown(type, keyId), certificate: pem(certificate), issuer_id: id, issuer_name: name })
  }

  private request(type: string, body: Fields): Answer {
    const id = this.keyFor(type, body)
    if (typeof id !== 'string') return id
    const { key } = this.keys.get(id)!
    const raw = signRequest(planRequest(new Map([['CN', String(body.common_name ?? '')]]), key), key, 'sha256')
    return data({ ...this.shown(type, id), csr: toPem('CERTIFICATE REQUEST', raw) })
  }

  /** Import the certificates and keys of a text in PEM. */
  private imported(text: string): Answer {
    const [newKeys, newIssuers]: [string[], string[]] = [[], []]
    const mapping: Record<string, string> = {}
    for (const [whole, label] of text.matchAll(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g)) {
      if (!label!.endsWith('PRIVATE KEY')) continue
      const id = newId()
      this.keys.set(id, { name: '', key: createPrivateKey(whole) })
      newKeys.push(id)
    }
    for (const [whole] of text.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)) {
      const { certificate } = loadCertificate(Buffer.from(whole))
      const keyId = [...this.keys].find(([, { key }]) => sameBytes(publicBytes(key), certificate.publicKey))?.[0]
      const id = newId()
      this.hold(id, '', certificate, keyId)
      newIssuers.push(id)
      mapping[id] = keyId ?? ''
    }
    return data({ imported_issuers: newIssuers, imported_keys: newKeys.length > 0 ? newKeys : null, mapping })
  }

  private deleteKey(ref: string): Answer {
    const id = this.keyId(ref)
    if (id !== undefined && [...this.issuers.values()].some(({ keyId }) => keyId === id)) {
      return refusal(400, 'Failed to delete key: in use by an issuer')
    }
    if (id !== undefined) this.keys.delete(id)
    return empty
  }

  private issuer(method: string, ref: string, list: string, body: Fields): Answer {
    const found = this.find(ref)
    if (method === 'DELETE') {
      if (found) this.issuers.delete(found.id)
      return empty
    }
    if (!found) return refusal(500, `unable to find PKI issuer for reference: ${ref}`)
    if (list !== '') return data({ crl: `-----BEGIN X509 CRL-----\n${list}\n-----END X509 CRL-----` })
    if (method === 'PATCH') {
      const { issuer_name: name = found.name, usage = found.more.usage, ...more } = body
      found.name = String(name)
      Object.assign(found.more, more, { usage: Array.isArray(usage) ? usage.join(',') : usage })
    }
    return data(this.issuerFacts(found))
  }

  private revoke(body: Fields, isByKey: boolean): Answer {
    const text = body.certificate === undefined ? undefined : String(body.certificate).trim()
    const found =
      text === undefined
        ? this.certificates.get(String(body.serial_number))
        : [...this.certificates.values()].find((one) => one.text.trim() === text)
    if (!found) return refusal(400, `certificate with serial ${body.serial_number} not found`)
    if (isByKey) {
      const { publicKey } = loadCertificate(Buffer.from(found.text)).certificate
      const key = createPrivateKey(String(body.private_key))
      if (!sameBytes(publicBytes(key), publicKey))
        return refusal(400, 'provided private key does not match certificate')
    }
    found.isRevoked = true
    return data({ revocation_time: 1 })
  }

  private sign([action, role]: string[], body: Fields, ref: string): Answer {
    if (!this.roles.has(role ?? '')) return refusal(400, `unknown role: ${role}`)
    const issuer = this.find(ref) ?? this.issuers.get('issuer-1')!
    const by = { key: this.keys.get(issuer.keyId!)!.key, certificate: issuer.certificate }
    const request = action === 'issue' ? undefined : loadRequest(Buffer.from(String(body.csr))).value
    const key = newKey()
    const serial = newId().slice(0, 8)
    const text = pem(this.certificate(body, request?.publicKey ?? publicBytes(key), serial, by))
    this.certificates.set(serial, { isRevoked: false, text })
    const shown = { certificate: text, serial_number: serial, ca_chain: this.issuerFacts(issuer).ca_chain }
    return data(action === 'issue' ? { ...shown, private_key: key.export({ type: 'pkcs8', format: 'pem' }) } : shown)
  }

  private issuerFacts({ id, name, certificate, keyId, more }: Issuer) {
    const text = pem(certificate)
    const above = id === 'issuer-1' ? this.chain : []
    return {
      issuer_id: id,
      issuer_name: name,
      key_id: keyId ?? '',
      certificate: text,
      ca_chain: [text, ...above],
      ...more,
    }
  }

  /** As Vault does, take the names of the request to the API, and the common name among them. */
  private certificate(body: Fields, publicKey: Uint8Array, serial: string, by: Authority): Certificate {
    const words = (field: string): string[] =>
      String(body[field] ?? '')
        .split(',')
        .filter(Boolean)
    const hosts = body.exclude_cn_from_sans === true ? [] : [String(body.common_name)]
    const names = [
      ...[...hosts, ...words('alt_names')].map((name) => `${name.includes('@') ? 'email' : 'DNS'}:${name}`),
      ...words('ip_sans').map((name) => `IP:${name}`),
      ...words('uri_sans').map((name) => `URI:${name}`),
    ]
    const seconds = spanOf(body.ttl ?? '1h')
    const end = new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
    const options = { CN: String(body.common_name), serial_number: serial, not_after: end }
    return signed({ ...options, ...(names.length > 0 && { subjectAltName: names }) }, publicKey, by, by.key)
  }

  private role(method: string, name: string, body: Fields): Answer {
    if (method === 'LIST') return this.roles.size > 0 ? data({ keys: [...this.roles.keys()].sort() }) : refusal(404)
    const role = this.roles.get(name)
    if (method === 'GET') return role ? data(role) : refusal(404)
    if (method === 'DELETE') {
      this.roles.delete(name)
      return empty
    }
    const given = Object.entries(body).map(([key, value]) => [key, /ttl$/.test(key) ? spanOf(value) : value])
    this.roles.set(name, { ...ROLE_DEFAULTS, ...(method === 'PATCH' && role), ...Object.fromEntries(given) })
    return data(this.roles.get(name)!)
  }
}
