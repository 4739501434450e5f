// The engine for certificates, as far as clients see it: roles, one issuer below a root, and certificates that the issuer signs. No case
// compares it with a real server.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Value } from '../../src/data/mod.ts'
import {
  type Certificate,
  loadCertificate,
  loadRequest,
  planCertificate,
  publicBytes,
  signCertificate,
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

export class PkiEngine implements Engine {
  private readonly roles = new Map<string, Fields>()
  private readonly certificates = new Map<string, { isRevoked: boolean; text: string }>()
  private standard = 'issuer-1'
  private readonly root = authority('Root')
  private readonly issuer = authority('Issuer', this.root)

  handle(method: string, path: string, body: Fields): Answer {
    const parts = path.split('/')
    if (parts[0] === 'roles') return this.role(method, parts[1] ?? '', body)
    if (path === 'issuers')
      return data({ keys: ['issuer-1'], key_info: { 'issuer-1': { is_default: this.standard === 'issuer-1' } } })
    if (path === 'config/issuers') {
      this.standard = String(body.default)
      return empty
    }
    if (parts[0] === 'issuer' && parts.length === 2)
      return ['default', 'issuer-1'].includes(parts[1]!)
        ? data(this.issuerFacts())
        : refusal(500, `unable to find PKI issuer for reference: ${parts[1]}`)
    if (path === 'certs' || path === 'certs/revoked') {
      const wanted = [...this.certificates].filter(([, { isRevoked }]) => path === 'certs' || isRevoked)
      return wanted.length > 0 ? data({ keys: wanted.map(([serial]) => serial) }) : refusal(404)
    }
    if (parts[0] === 'cert')
      return this.certificates.has(parts[1]!)
        ? data({ certificate: this.certificates.get(parts[1]!)!.text })
        : refusal(404)
    if (path === 'revoke') return this.revoke(String(body.serial_number))
    return this.sign(parts.slice(parts[0] === 'issuer' ? 2 : 0), body)
  }

  private revoke(serial: string): Answer {
    const found = this.certificates.get(serial)
    if (!found) return refusal(400, `certificate with serial ${serial} not found`)
    found.isRevoked = true
    return data({ revocation_time: 1 })
  }

  private sign([action, role]: string[], body: Fields): Answer {
    if (!this.roles.has(role ?? '')) return refusal(400, `unknown role: ${role}`)
    const request = action === 'issue' ? undefined : loadRequest(Buffer.from(String(body.csr))).value
    const key = newKey()
    const serial = newId().slice(0, 8)
    const text = pem(this.certificate(body, request?.publicKey ?? publicBytes(key), serial))
    this.certificates.set(serial, { isRevoked: false, text })
    const shown = { certificate: text, serial_number: serial, ca_chain: this.issuerFacts().ca_chain }
    return data(action === 'issue' ? { ...shown, private_key: key.export({ type: 'pkcs8', format: 'pem' }) } : shown)
  }

  private issuerFacts() {
    const [certificate, root] = [pem(this.issuer.certificate), pem(this.root.certificate)]
    return { issuer_id: 'issuer-1', certificate, ca_chain: [certificate, root] }
  }

  /** As Vault does, take the names of the request to the API, and the common name among them. */
  private certificate(body: Fields, publicKey: Uint8Array, serial: string): Certificate {
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
    return signed(
      { ...options, ...(names.length > 0 && { subjectAltName: names }) },
      publicKey,
      this.issuer,
      this.issuer.key,
    )
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
