// The plug-in vault-gpg-plugin, as far as clients see it: keys with fingerprints, and answers that repeat the request.
// Nothing is really signed, and no case compares it with a real server.
import { type Answer, data, empty, refusal } from './answers.ts'
import type { Engine } from './kv-engine.ts'
import { newId } from './tokens.ts'

type Fields = Record<string, unknown>

const text = (base64: unknown): string => Buffer.from(String(base64), 'base64').toString()

export class GpgEngine implements Engine {
  private readonly keys = new Map<string, Fields>()

  handle(method: string, path: string, body: Fields): Answer {
    const [action, name = '', algorithm] = path.split('/')
    if (method === 'LIST') return this.keys.size > 0 ? data({ keys: [...this.keys.keys()].sort() }) : refusal(404)
    const key = this.keys.get(name)
    if (action === 'keys') return this.key(method, name, key, body)
    if (!key) return refusal(400, 'key not found')
    switch (action) {
      case 'export':
        return key.exportable === true ? data({ name, key: `private ${name}` }) : refusal(400, 'key is not exportable')
      case 'sign':
        return data({ signature: signature(String(algorithm ?? body.algorithm ?? 'sha2-256'), text(body.input)) })
      case 'verify':
        return data({ valid: String(body.signature) === signature('sha2-256', text(body.input)) })
      case 'decrypt':
        return data({ plaintext: Buffer.from(`${text(body.ciphertext)} opened`).toString('base64') })
      case 'show-session-key':
        return data({ session_key: `9:${text(body.ciphertext)}` })
      default:
        return refusal(404)
    }
  }

  private key(method: string, name: string, key: Fields | undefined, body: Fields): Answer {
    if (method === 'GET') return key ? data(key) : refusal(404)
    if (method === 'DELETE') {
      this.keys.delete(name)
      return empty
    }
    if (body.generate === false && !String(body.key).startsWith('-----BEGIN PGP PRIVATE KEY BLOCK-----'))
      return refusal(400, 'no key')
    const fingerprint = newId().replaceAll('-', '')
    this.keys.set(name, { fingerprint, public_key: `public ${fingerprint}`, exportable: body.exportable === true })
    return empty
  }
}

const signature = (algorithm: string, signed: string): string =>
  Buffer.from(`${algorithm} of ${signed}`).toString('base64')
