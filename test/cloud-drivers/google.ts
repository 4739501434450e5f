// Google Compute Engine as its reference describes it, as far as salt-cloud asks it: tokens for signed statements, instances, disks, addresses,
// and operations that end when they are looked at.
import { createVerify, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { type Asked, type Json, type Provider, Reply } from './listener.ts'

export const ZONE = 'us-central1-a'
const EMAIL = 'salt@p1.iam.gserviceaccount.com'

interface Operation {
  json: Json
  end: () => void
}

const last = (url: unknown): string => String(url).split('/').at(-1) ?? ''

export const googleError = (status: number, message: string, reason: string): Reply =>
  new Reply(status, { error: { code: status, message, errors: [{ message, domain: 'usageLimits', reason }] } })

export class Google {
  readonly privateKey: string
  private readonly publicKey: KeyObject
  readonly instances = new Map<string, Json>()
  readonly disks = new Map<string, Json>()
  readonly addresses = new Map<string, Json>()
  /** Networks and the like, by their paths. */
  readonly others = new Map<string, Json>()
  private readonly operations = new Map<string, Operation>()
  private readonly known = new Map<string, Json>()
  private count = 0
  /** The error with which the next operation of that type on a name that begins so ends. */
  failing: { type: string; name: string; code: string; message: string } | undefined
  /** Whether operations do not end. */
  isStuck = false
  tokens = 0
  /** Tokens that are refused as ended. */
  ended = 0
  url = ''

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    this.privateKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    this.publicKey = publicKey
  }

  /** Return the JSON key that Google hands out. */
  keyFile(privateKey = this.privateKey): string {
    const key = { private_key_id: 'kid-1', private_key: privateKey, client_email: EMAIL }
    return JSON.stringify({ type: 'service_account', project_id: 'p1', ...key, token_uri: `${this.url}/token` })
  }

  readonly answer: Provider = (asked) => {
    if (asked.path === '/token') return this.token(asked.body)
    if (asked.path.startsWith('/computeMetadata/')) return this.metadata(asked)
    const token = Number(/^Bearer ya29\.secret-token-(\d+)$/.exec(asked.headers.authorization ?? '')?.[1] ?? 0)
    if (token === 0 || token <= this.ended) {
      const message = 'Request had invalid authentication credentials.'
      return googleError(401, message, 'authError')
    }
    const path = asked.path.replace('/compute/v1/projects/', '')
    if (asked.method === 'GET') return this.read(path, asked.query)
    // a request that was carried out before is known by its id
    const id = asked.query.get('requestId') ?? ''
    const done = this.known.get(id)
    if (done) return done
    const answer = this.change(asked, path)
    if (answer && !(answer instanceof Reply)) this.known.set(id, answer)
    return answer
  }

  private token(form: Json): Json | Reply {
    const [header = '', claims = '', signature = ''] = String(form['assertion']).split('.')
    const verify = createVerify('RSA-SHA256').update(`${header}.${claims}`)
    const { iss, aud } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Json
    if (!verify.verify(this.publicKey, signature, 'base64url') || iss !== EMAIL || aud !== `${this.url}/token`) {
      return new Reply(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' })
    }
    return this.granted()
  }

  private granted(): Json {
    return { access_token: `ya29.secret-token-${++this.tokens}`, expires_in: 3599, token_type: 'Bearer' }
  }

  private metadata({ path, headers }: Asked): Json | Reply | undefined {
    if (headers['metadata-flavor'] !== 'Google') return new Reply(403, 'Missing header Metadata-Flavor')
    return path.endsWith('/service-accounts/default/token') ? this.granted() : undefined
  }

  private read(path: string, query: URLSearchParams): Json | undefined {
    const [, kind, name] = /^p1\/aggregated\/(\w+)$/.exec(path) ?? []
    if (kind) return this.aggregated(kind, query)
    const images = /^([\w-]+)\/global\/images(?:\/(family\/)?([\w-]+))?$/.exec(path)
    if (images) return imagesOf(images[1] ?? '', images[2] !== undefined, images[3])
    if (/\/operations$/.test(path)) {
      return { items: [...this.operations.values()].map(({ json }) => json).filter((one) => one['status'] !== 'DONE') }
    }
    const operation = this.operations.get(/\/operations\/([\w-]+)$/.exec(path)?.[1] ?? name ?? '')
    if (operation) {
      if (!this.isStuck && operation.json['status'] !== 'DONE') operation.end()
      return operation.json
    }
    if (path === 'p1/zones') return { items: [{ name: ZONE, status: 'UP', region: 'regions/us-central1' }] }
    return this.instances.get(path) ?? this.disks.get(path) ?? this.addresses.get(path) ?? this.others.get(path)
  }

  private aggregated(kind: string, query: URLSearchParams): Json {
    if (kind === 'machineTypes') {
      const row = (zone: string): Json => ({ name: 'e2-small', zone, guestCpus: 2, memoryMb: 2048 })
      return { items: { 'zones/a': { machineTypes: [row('a')] }, 'zones/b': { machineTypes: [row('b')] } } }
    }
    const rows = [...(kind === 'instances' ? this.instances : this.disks).values()]
    const wanted = /^labels\.([\w-]+) = ([\w-]+)$/.exec(query.get('filter') ?? '')
    const found = wanted ? rows.filter((row) => (row['labels'] as Json)?.[wanted[1]!] === wanted[2]) : rows
    // one row on each page
    const page = Number(query.get('pageToken') ?? 0)
    const shown = found.slice(page, page + 1)
    return {
      items: {
        'zones/us-east1-b': { warning: { code: 'NO_RESULTS_ON_PAGE' } },
        [`zones/${ZONE}`]: { [kind]: shown },
      },
      ...(page + 1 < found.length && { nextPageToken: String(page + 1) }),
    }
  }

  private change({ method, query, body }: Asked, path: string): Json | Reply | undefined {
    if (method === 'DELETE') return this.remove(path)
    if (/\/instances$/.test(path)) return this.insert(path, body)
    const made = /^p1\/(?:zones|regions)\/[\w-]+\/(disks|addresses)$/.exec(path)?.[1]
    if (made === 'disks') return this.insertDisk(path, body)
    if (made === 'addresses') {
      return this.operation('insert', `${path}/${body['name']}`, () => {
        this.addresses.set(`${path}/${body['name']}`, { ...body, address: '198.51.100.7', status: 'RESERVED' })
      })
    }
    const [, target = '', word] = /^(p1\/zones\/[\w-]+\/\w+\/[\w-]+)\/(\w+)$/.exec(path) ?? []
    const instance = this.instances.get(target)
    if (instance && word) return this.act(target, instance, word, query, body)
    if (word === 'createSnapshot') return this.keep('p1/global/snapshots', { ...body, sourceDisk: target })
    return this.keep(path, body)
  }

  private keep(path: string, body: Json): Json {
    return this.operation('insert', `${path}/${body['name']}`, () => {
      this.others.set(`${path}/${body['name']}`, { ...body, selfLink: `${path}/${body['name']}` })
    })
  }

  private operation(type: string, target: string, done: () => void): Json {
    const [, kind, place] = /\/(zone|region)s\/([\w-]+)\//.exec(target) ?? []
    const json: Json = {
      kind: 'compute#operation',
      name: `operation-${++this.count}`,
      operationType: type,
      targetLink: `${this.url}/compute/v1/projects/${target}`,
      status: 'RUNNING',
      progress: 0,
      ...(kind && { [kind]: `${this.url}/compute/v1/projects/p1/${kind}s/${place}` }),
    }
    const { failing } = this
    const isFailing = failing?.type === type && last(target).startsWith(failing.name)
    if (isFailing) this.failing = undefined
    const end = (): void => {
      json['status'] = 'DONE'
      if (isFailing) json['error'] = { errors: [{ code: failing.code, message: failing.message }] }
      else done()
    }
    this.operations.set(String(json['name']), { json, end })
    return json
  }

  private insert(list: string, body: Json): Json | Reply {
    const path = `${list}/${body['name']}`
    if (this.instances.has(path)) return googleError(409, `The resource '${path}' already exists`, 'alreadyExists')
    const disks = (body['disks'] as Json[]).map((disk) => {
      const fresh = disk['initializeParams'] as Json | undefined
      const source = disk['source'] ?? `zones/${ZONE}/disks/${fresh?.['diskName']}`
      const name = `p1/zones/${ZONE}/disks/${last(source)}`
      if (fresh) this.disks.set(name, { ...diskRow(name), sourceImage: fresh['sourceImage'], labels: fresh['labels'] })
      return { ...disk, source: `${this.url}/compute/v1/projects/${name}` }
    })
    const access = (body['networkInterfaces'] as Json[])[0]!['accessConfigs'] as Json[] | undefined
    const row: Json = {
      ...body,
      id: String(7000000000000000000n + BigInt(this.instances.size)),
      zone: `${this.url}/compute/v1/projects/p1/zones/${ZONE}`,
      status: 'PROVISIONING',
      disks,
      networkInterfaces: [{ networkIP: '10.128.0.2', ...(access && { accessConfigs: access.map(withAddress) }) }],
    }
    this.instances.set(path, row)
    return this.operation('insert', path, () => {
      row['status'] = 'RUNNING'
    })
  }

  private insertDisk(list: string, body: Json): Json {
    const path = `${list}/${body['name']}`
    return this.operation('insert', path, () => this.disks.set(path, { ...diskRow(path), ...body }))
  }

  private act(path: string, instance: Json, word: string, query: URLSearchParams, body: Json): Json {
    const disks = instance['disks'] as Json[]
    return this.operation(word, path, () => {
      if (word === 'stop') instance['status'] = 'TERMINATED'
      if (word === 'start') instance['status'] = 'RUNNING'
      if (word === 'attachDisk') disks.push(body)
      const device = disks.find((disk) => disk['deviceName'] === query.get('deviceName'))
      if (word === 'detachDisk') instance['disks'] = disks.filter((disk) => disk !== device)
      if (word === 'setDiskAutoDelete' && device) device['autoDelete'] = query.get('autoDelete') === 'true'
    })
  }

  private remove(path: string): Json | Reply | undefined {
    for (const kept of [this.instances, this.disks, this.addresses, this.others]) {
      const row = kept.get(path)
      if (!row) continue
      if (row['status'] === 'PROVISIONING') {
        return googleError(400, `The resource '${path}' is not ready`, 'resourceNotReady')
      }
      return this.operation('delete', path, () => {
        kept.delete(path)
        for (const disk of (row['disks'] as Json[] | undefined) ?? []) {
          if (disk['autoDelete'] === true) this.disks.delete(`p1/zones/${ZONE}/disks/${last(disk['source'])}`)
        }
      })
    }
    return undefined
  }
}

const withAddress = (access: Json): Json => ({ ...access, natIP: access['natIP'] ?? '203.0.113.9' })

const diskRow = (path: string): Json => ({
  name: last(path),
  zone: `projects/p1/zones/${ZONE}`,
  selfLink: `https://www.googleapis.com/compute/v1/projects/${path}`,
  status: 'READY',
})

/** Images of `debian-cloud`, as the project and its family show them. */
function imagesOf(project: string, isFamily: boolean, name: string | undefined): Json | undefined {
  const image = (day: string, state?: string): Json => ({
    name: `debian-12-bookworm-v${day}`,
    family: 'debian-12',
    creationTimestamp: `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00.000-07:00`,
    ...(state && { deprecated: { state } }),
  })
  const rows = project === 'debian-cloud' ? [image('20260101'), image('20260301', 'DEPRECATED'), image('20260201')] : []
  if (name === undefined) return { items: rows }
  if (isFamily) return name === 'debian-12' ? rows[2] : undefined
  return rows.find((row) => row['name'] === name)
}
