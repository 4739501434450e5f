// The catalog of plugins, as far as clients see it. No case compares it with a real server.
import { type Answer, data, empty, refusal } from './answers.ts'

type Fields = Record<string, unknown>

const BUILTIN = { type: 'database', name: 'mysql-database-plugin', version: 'v1.0.0+builtin', builtin: true }

export class PluginCatalog {
  /** By type, name and version. */
  private readonly plugins = new Map<string, Fields>()
  private readonly pins = new Map<string, Fields>()

  handle(method: string, path: string, body: Fields, query: URLSearchParams): Answer {
    const [kind, type = '', name = ''] = path.split('/')
    if (kind === 'reload') return this.reload(type, name, body)
    if (kind === 'pins') return this.pin(method, type, name, body)
    if (name === '') return data({ detailed: [BUILTIN, ...this.plugins.values()] })
    const version = String((method === 'POST' ? body.version : query.get('version')) ?? '')
    const place = `${type}/${name}/${version}`
    if (method === 'GET') return this.plugins.has(place) ? data(this.plugins.get(place)) : refusal(404)
    if (method === 'DELETE') this.plugins.delete(place)
    else this.plugins.set(place, { args: [], ...body, type, name, version, builtin: false })
    return empty
  }

  private pin(method: string, type: string, name: string, body: Fields): Answer {
    const place = `${type}/${name}`
    if (name === '') return data({ pinned_versions: [...this.pins.values()] })
    if (method === 'GET') return this.pins.has(place) ? data(this.pins.get(place)) : refusal(404)
    if (method === 'DELETE') this.pins.delete(place)
    else this.pins.set(place, { type, name, version: body.version })
    return empty
  }

  private reload(type: string, name: string, body: Fields): Answer {
    const isKnown = [...this.plugins.values()].some((plugin) => plugin.name === (body.plugin ?? name))
    if (type === 'backend' && body.mounts) return data({ reload_id: `mounts ${String(body.mounts)}` })
    if (type === 'backend' && !isKnown) return refusal(400, 'plugin not found in the catalog')
    if (!isKnown) return { ...data({}), more: { warnings: ['no plugins were reloaded'] } }
    return data({ reload_id: `${String(body.plugin ?? name)} ${String(body.scope ?? 'here')}` })
  }
}
