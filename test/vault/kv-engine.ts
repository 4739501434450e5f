// The engine kv in both of its versions, as the stand-in of Vault has it.
import { type Answer, data, empty, refusal } from './answers.ts'

type Fields = Record<string, unknown>

export interface Engine {
  handle(method: string, path: string, body: Fields, query: URLSearchParams): Answer
}

/** The names directly below a path. */
function children(paths: Iterable<string>, folder: string): string[] {
  const prefix = folder === '' ? '' : `${folder.replace(/\/$/, '')}/`
  const names = new Set<string>()
  for (const path of paths) {
    if (!path.startsWith(prefix)) continue
    const [first, ...more] = path.slice(prefix.length).split('/')
    if (first) names.add(more.length > 0 ? `${first}/` : first)
  }
  return [...names].sort()
}

const listing = (paths: Iterable<string>, folder: string): Answer => {
  const keys = children(paths, folder)
  return keys.length > 0 ? data({ keys }) : refusal(404)
}

export class KvOne implements Engine {
  private readonly secrets = new Map<string, Fields>()

  handle(method: string, path: string, body: Fields): Answer {
    switch (method) {
      case 'LIST':
        return listing(this.secrets.keys(), path)
      case 'GET': {
        const found = this.secrets.get(path)
        return found ? { ...data(found), lease: 2_764_800 } : refusal(404)
      }
      case 'DELETE':
        this.secrets.delete(path)
        return empty
      default:
        if (Object.keys(body).length === 0) return refusal(400, 'missing data fields')
        this.secrets.set(path, body)
        return empty
    }
  }
}

interface Version {
  data: Fields | null
  created_time: string
  deletion_time: string
  destroyed: boolean
}

const stamp = (): string => new Date().toISOString().replace('Z', '000000Z')

export class KvTwo implements Engine {
  private readonly secrets = new Map<string, Map<number, Version>>()

  handle(method: string, path: string, body: Fields, query: URLSearchParams): Answer {
    const [kind = '', ...rest] = path.split('/')
    const name = rest.join('/')
    if (kind === 'metadata') return this.metadata(method, name)
    if (kind === 'data') return this.data(method, name, body, query)
    if (['delete', 'undelete', 'destroy'].includes(kind)) return this.change(kind, name, body)
    return refusal(404, `no handler for route '${path}'`)
  }

  private metadata(method: string, name: string): Answer {
    if (method === 'LIST') return listing(this.secrets.keys(), name)
    const versions = this.secrets.get(name)
    if (method === 'DELETE') {
      this.secrets.delete(name)
      return empty
    }
    if (!versions) return refusal(404)
    const shown = Object.fromEntries([...versions].map(([number, { data: _data, ...version }]) => [number, version]))
    const latest = Math.max(...versions.keys())
    return data({ current_version: latest, oldest_version: 0, max_versions: 0, versions: shown })
  }

  private data(method: string, name: string, body: Fields, query: URLSearchParams): Answer {
    const versions = this.secrets.get(name) ?? new Map<number, Version>()
    const latest = versions.size > 0 ? Math.max(...versions.keys()) : 0
    if (method === 'GET') return this.read(versions, Number(query.get('version') ?? 0) || latest)
    if (method === 'DELETE') {
      const version = versions.get(latest)
      if (version && !version.deletion_time) version.deletion_time = stamp()
      return empty
    }
    if (method === 'PATCH') return refusal(405, 'unsupported operation')
    if (typeof body.data !== 'object' || body.data === null) return refusal(400, 'no data provided')
    const cas = (body.options as Fields | undefined)?.cas
    if (cas !== undefined && cas !== latest) {
      return refusal(400, 'check-and-set parameter did not match the current version')
    }
    const version = { data: body.data as Fields, created_time: stamp(), deletion_time: '', destroyed: false }
    this.secrets.set(name, versions.set(latest + 1, version))
    return data({ created_time: version.created_time, deletion_time: '', destroyed: false, version: latest + 1 })
  }

  private read(versions: Map<number, Version>, number: number): Answer {
    const version = versions.get(number)
    if (!version) return refusal(404)
    const { data: fields, ...metadata } = version
    const isGone = version.destroyed || version.deletion_time !== ''
    const answer = data({ data: isGone ? null : fields, metadata: { ...metadata, version: number } })
    return isGone ? { ...answer, status: 404 } : answer
  }

  private change(kind: string, name: string, body: Fields): Answer {
    const numbers = Array.isArray(body.versions) ? body.versions.map(Number) : []
    if (numbers.length === 0) return refusal(400, 'No version number provided')
    for (const number of numbers) {
      const version = this.secrets.get(name)?.get(number)
      if (!version) continue
      if (kind === 'delete' && !version.deletion_time) version.deletion_time = stamp()
      if (kind === 'undelete' && !version.destroyed) version.deletion_time = ''
      if (kind === 'destroy') Object.assign(version, { data: null, destroyed: true })
    }
    return empty
  }
}
