// The engine for certificates, as far as clients see it: roles, one issuer, and certificates that are only numbers. No case compares it with
// a real server.
import { type Answer, data, empty, refusal } from './answers.ts'
import type { Engine } from './kv-engine.ts'
import { newId, spanOf } from './tokens.ts'

type Fields = Record<string, unknown>

const ISSUER = {
  issuer_id: 'issuer-1',
  certificate: 'PEM of the issuer\n',
  ca_chain: ['PEM of the issuer\n', 'PEM of the root\n'],
}

const ROLE_DEFAULTS: Fields = { issuer_ref: 'default', ttl: 0, max_ttl: 0, allow_localhost: true, allowed_domains: [] }

export class PkiEngine implements Engine {
  private readonly roles = new Map<string, Fields>()
  private readonly certificates = new Map<string, { isRevoked: boolean }>()
  private standard = 'issuer-1'

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
        ? data(ISSUER)
        : refusal(500, `unable to find PKI issuer for reference: ${parts[1]}`)
    if (path === 'certs' || path === 'certs/revoked') {
      const wanted = [...this.certificates].filter(([, { isRevoked }]) => path === 'certs' || isRevoked)
      return wanted.length > 0 ? data({ keys: wanted.map(([serial]) => serial) }) : refusal(404)
    }
    if (parts[0] === 'cert')
      return this.certificates.has(parts[1]!) ? data({ certificate: `PEM of ${parts[1]}` }) : refusal(404)
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
    if (action !== 'issue' && !String(body.csr ?? '').includes('REQUEST')) return refusal(400, 'csr contains no data')
    const serial = newId().slice(0, 8)
    this.certificates.set(serial, { isRevoked: false })
    const shown = {
      certificate: `PEM of ${String(body.common_name)}, ${String(body.alt_names ?? '')}`,
      serial_number: serial,
    }
    return data(action === 'issue' ? { ...shown, private_key: `private ${newId()}` } : shown)
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
