// The engine for SSH, as far as clients see it: its authority, roles, signatures and one-time passwords. Nothing is signed in truth, and
// no case compares it with a real server.
import { type Answer, data, empty, refusal } from './answers.ts'
import type { Engine } from './kv-engine.ts'
import { newId, spanOf } from './tokens.ts'

type Fields = Record<string, unknown>

const CA_DEFAULTS: Fields = {
  default_user: '',
  ttl: 0,
  max_ttl: 0,
  allowed_users: '',
  default_extensions: {},
  default_critical_options: {},
  algorithm_signer: 'default',
  not_before_duration: 30,
}

export class SshEngine implements Engine {
  private authority: string | undefined
  private readonly roles = new Map<string, Fields>()
  private anyAddress: unknown

  handle(method: string, path: string, body: Fields): Answer {
    if (path === 'config/ca') return this.ca(method, body)
    if (path === 'config/zeroaddress') return this.zeroAddress(method, body)
    if (path === 'lookup') {
      const fitting = [...this.roles].filter(([, { key_type }]) => key_type === 'otp').map(([name]) => name)
      return data({ roles: fitting.length > 0 ? fitting : null })
    }
    const [kind, name = ''] = path.split('/')
    if (kind === 'roles') return this.role(method, name, body)
    const role = this.roles.get(name)
    if (!role) return refusal(400, `Unknown role: ${name}`)
    const signed = { serial_number: newId().slice(0, 16), signed_key: `signed ${String(body.valid_principals ?? '')}` }
    if (kind === 'sign') return body.public_key === '' ? refusal(400, 'public_key is empty') : data(signed)
    if (kind === 'issue') return data({ ...signed, private_key: `private ${newId()}`, private_key_type: body.key_type })
    if (kind === 'creds')
      return data({
        key: newId(),
        key_type: 'otp',
        ip: body.ip,
        username: body.username || role.default_user,
        port: 22,
      })
    return refusal(404)
  }

  private ca(method: string, body: Fields): Answer {
    if (method === 'DELETE') {
      this.authority = undefined
      return empty
    }
    if (method === 'GET')
      return this.authority ? data({ public_key: this.authority }) : refusal(400, "keys haven't been configured yet")
    if (this.authority) return refusal(400, 'keys are already configured; delete them before reconfiguring')
    this.authority = body.generate_signing_key ? `ssh-rsa ${newId()}` : String(body.public_key)
    return body.generate_signing_key ? data({ public_key: this.authority }) : empty
  }

  private zeroAddress(method: string, body: Fields): Answer {
    if (method === 'GET') return this.anyAddress === undefined ? refusal(404) : data({ roles: this.anyAddress })
    this.anyAddress = method === 'DELETE' ? undefined : [body.roles].flat()
    return empty
  }

  private role(method: string, name: string, body: Fields): Answer {
    if (method === 'LIST') {
      const keys = [...this.roles.keys()].sort()
      const info = Object.fromEntries([...this.roles].map(([key, { key_type }]) => [key, { key_type }]))
      return keys.length > 0 ? data({ keys, key_info: info }) : refusal(404)
    }
    if (method === 'GET') return this.roles.has(name) ? data(this.roles.get(name)!) : refusal(404)
    if (method === 'DELETE') this.roles.delete(name)
    else {
      const usual = body.key_type === 'ca' ? CA_DEFAULTS : {}
      const spans = Object.fromEntries(
        Object.entries(body)
          .filter(([key]) => /ttl$/.test(key))
          .map(([key, value]) => [key, spanOf(value)]),
      )
      this.roles.set(name, { ...usual, ...body, ...spans })
    }
    return empty
  }
}
