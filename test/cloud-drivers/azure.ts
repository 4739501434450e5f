// Azure Resource Manager as its reference describes it, as far as salt-cloud asks it: tokens, machines, interfaces, public addresses, disks, and
// operations that end when they are looked at the second time.
import { type Asked, type Json, type Provider, Reply } from './listener.ts'

export const ROOT = '/subscriptions/s1'
export const SUBNET = `${ROOT}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/vnet/subnets/default`
export const SECRET = 'the-secret-of-a-principal'

export const azureError = (status: number, code: string, message: string, headers = {}): Reply =>
  new Reply(status, { error: { code, message } }, headers)

const kindOf = (id: string): string => id.split('/').at(-2) ?? ''
const last = (id: unknown): string => String(id).split('/').at(-1) ?? ''

interface Operation {
  looks: number
  end: () => Json | undefined
}

export class Azure {
  url = ''
  /** All resources by their ids. */
  readonly resources = new Map<string, Json>()
  private readonly operations = new Map<string, Operation>()
  /** The error with which the next change of a resource of that kind ends. */
  failing: { kind: string; code: string; message: string } | undefined
  /** How often an interface cannot be deleted yet. */
  reserved = 0
  isStuck = false
  tokens = 0
  ended = 0

  constructor() {
    this.resources.set(SUBNET, { id: SUBNET, name: 'default', properties: { addressPrefix: '10.0.0.0/24' } })
  }

  /** Return the ids of billed resources, without their common part. */
  left(): string[] {
    return [...this.resources.keys()].filter((id) => id !== SUBNET).map((id) => id.split('/').slice(-2).join('/'))
  }

  readonly answer: Provider = (asked) => {
    const { path, headers } = asked
    if (path === '/metadata/endpoints') return this.endpoints()
    if (path === '/metadata/identity/oauth2/token') return this.identity(asked)
    const tenant = /^\/login\/([\w.-]+)\/oauth2\/v2\.0\/token$/.exec(path)?.[1]
    if (tenant !== undefined) return this.token(tenant, asked.body)
    const token = Number(/^Bearer eyJ0-secret-token-(\d+)$/.exec(headers.authorization ?? '')?.[1] ?? 0)
    if (token === 0 || token <= this.ended) {
      return azureError(401, 'ExpiredAuthenticationToken', 'The access token expiry UTC time is earlier than now.')
    }
    if (!asked.query.get('api-version')) return azureError(400, 'MissingApiVersionParameter', 'api-version is required')
    if (asked.method === 'GET') return this.read(asked)
    return this.change(asked)
  }

  private endpoints(): Json {
    return { authentication: { loginEndpoint: `${this.url}/login/`, audiences: [`${this.url}/management`] } }
  }

  private token(tenant: string, form: Json): Json | Reply {
    const isPrincipal = tenant === 't1' && form['client_id'] === 'c1' && form['client_secret'] === SECRET
    const isUser = form['grant_type'] === 'password' && form['username'] === 'larry' && form['password'] === '123-pass'
    if ((isPrincipal || isUser) && form['scope'] === `${this.url}/management/.default`) return this.granted(3599)
    const error_description = `AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1\r\nTimestamp: 2026`
    return new Reply(401, { error: 'invalid_client', error_description })
  }

  private identity({ headers, query }: Asked): Json | Reply {
    if (headers['metadata'] !== 'true') return new Reply(400, { error: 'bad_request' })
    if (query.get('client_id') === 'none') {
      return new Reply(400, { error: 'invalid_request', error_description: 'Identity not found' })
    }
    return this.granted('86399')
  }

  private granted(expires_in: unknown): Json {
    return { token_type: 'Bearer', expires_in, access_token: `eyJ0-secret-token-${++this.tokens}` }
  }

  private read({ path, query }: Asked): Json | Reply | undefined {
    const operation = this.operations.get(path)
    if (operation) return this.looked(path, operation)
    const list = /^\/subscriptions\/s1\/providers\/([\w.]+\/\w+)$/.exec(path)?.[1]
    if (list) return this.page(list, query)
    if (path.endsWith('/instanceView')) {
      const running = this.resources.get(path.replace('/instanceView', ''))?.['power']
      return { statuses: [{ code: `PowerState/${running}` }] }
    }
    const fixed = FIXED[path.replace(ROOT, '')]
    return fixed ? new Reply(200, fixed) : this.resources.get(path)
  }

  /** One row on each page. */
  private page(type: string, query: URLSearchParams): Json {
    const rows = [...this.resources.values()].filter(({ id }) => String(id).includes(`/providers/${type}/`))
    const page = Number(query.get('$skiptoken') ?? 0)
    const next = `${this.url}${ROOT}/providers/${type}?api-version=1&$skiptoken=${page + 1}`
    return { value: rows.slice(page, page + 1), ...(page + 1 < rows.length && { nextLink: next }) }
  }

  private looked(path: string, operation: Operation): Json | Reply | undefined {
    const isDone = ++operation.looks > 1 && !this.isStuck
    if (path.includes('/operationresults/')) {
      if (!isDone) return new Reply(202, {}, { 'retry-after': '0' })
      operation.end()
      return new Reply(204)
    }
    return isDone ? { status: 'Succeeded', ...operation.end() } : { status: 'InProgress' }
  }

  /** Begin an operation, which is announced by the header Azure-AsyncOperation or by Location. */
  private begin(end: () => Json | undefined, kind: 'operations' | 'operationresults' = 'operations') {
    const path = `${ROOT}/providers/Microsoft.Compute/locations/westeurope/${kind}/${this.operations.size + 1}`
    this.operations.set(path, { looks: 0, end })
    const name = kind === 'operations' ? 'azure-asyncoperation' : 'location'
    return { [name]: `${this.url}${path}?api-version=2023-09-01`, 'retry-after': '0' }
  }

  private change({ method, path, body }: Asked): Json | Reply | undefined {
    if (method === 'PUT') return this.put(path, structuredClone(body))
    if (method === 'DELETE') return this.remove(path)
    const [, id = '', word = ''] = /^(.*)\/(\w+)$/.exec(path) ?? []
    const machine = this.resources.get(id)
    if (!machine) return undefined
    const headers = this.begin(() => {
      machine['power'] = word === 'deallocate' ? 'deallocated' : 'running'
      return { name: word }
    })
    return new Reply(202, undefined, headers)
  }

  private put(id: string, body: Json): Reply {
    const properties: Json = { ...(body['properties'] as Json), provisioningState: 'Creating' }
    const row: Json = { ...body, id, name: last(id), properties }
    // Azure never returns these
    for (const secret of ['adminPassword', 'customData']) delete (properties['osProfile'] as Json | undefined)?.[secret]
    delete properties['protectedSettings']
    this.resources.set(id, row)
    const kind = kindOf(id)
    if (kind === 'virtualMachines') this.attach(id, row, properties)
    for (const one of (properties['ipConfigurations'] as { properties: Json }[] | undefined) ?? []) {
      one.properties = { privateIPAddress: '10.0.0.4', ...one.properties }
    }
    const { failing } = this
    const isFailing = failing?.kind === kind
    if (isFailing) this.failing = undefined
    const headers = this.begin(() => {
      properties['provisioningState'] = isFailing ? 'Failed' : 'Succeeded'
      if (kind === 'publicIPAddresses') properties['ipAddress'] = '203.0.113.9'
      if (isFailing) return { status: 'Failed', error: { code: failing.code, message: failing.message } }
      return undefined
    })
    return new Reply(201, row, headers)
  }

  private attach(id: string, row: Json, properties: Json): void {
    properties['vmId'] = 'b7a2'
    row['power'] = 'running'
    const storage = properties['storageProfile'] as { osDisk: Json; dataDisks?: Json[] }
    const group = id.split('/providers/')[0]
    for (const disk of [storage.osDisk, ...(storage.dataDisks ?? [])]) {
      const own = `${group}/providers/Microsoft.Compute/disks/${disk['name']}`
      const known = (disk['managedDisk'] as Json | undefined)?.['id'] ?? own
      disk['managedDisk'] = { id: known }
      this.resources.set(String(known), { id: known, name: last(known), managedBy: id })
    }
    for (const card of this.cardsOf(properties)) card['virtualMachine'] = { id }
  }

  private cardsOf(properties: Json): Json[] {
    const { networkInterfaces } = properties['networkProfile'] as { networkInterfaces: { id: string }[] }
    return networkInterfaces.map((one) => this.resources.get(one.id)!['properties'] as Json)
  }

  private remove(id: string): Reply | undefined {
    const row = this.resources.get(id)
    if (!row) return new Reply(204)
    const kind = kindOf(id)
    const properties = (row['properties'] ?? {}) as Json
    if (kind === 'networkInterfaces' && this.reserved-- > 0) {
      return azureError(400, 'NicReservedForAnotherVm', 'Nic is reserved for another Virtual Machine for 180 seconds.')
    }
    if (properties['virtualMachine']) return azureError(400, 'NicInUse', 'Network Interface is used by a machine.')
    const isAddressUsed = [...this.resources.values()].some(
      (one) => one !== row && JSON.stringify(one['properties'] ?? null).includes(`"${id}"`),
    )
    if (kind === 'publicIPAddresses' && isAddressUsed) {
      return azureError(400, 'PublicIPAddressCannotBeDeleted', 'Public IP address can not be deleted since it is used.')
    }
    const gone = (): undefined => {
      this.resources.delete(id)
      if (kind !== 'virtualMachines') return
      for (const card of this.cardsOf(properties)) delete card['virtualMachine']
      for (const one of this.resources.values()) if (one['managedBy'] === id) delete one['managedBy']
      for (const one of this.resources.keys()) if (one.startsWith(`${id}/`)) this.resources.delete(one)
    }
    return new Reply(202, undefined, this.begin(gone, 'operationresults'))
  }
}

const PUBLISHERS = '/providers/Microsoft.Compute/locations/westeurope/publishers'
const OFFERS = `${PUBLISHERS}/Debian/artifacttypes/vmimage/offers`

/** Answers that never change. */
const FIXED: Readonly<Record<string, unknown>> = {
  '/locations': { value: [{ name: 'westeurope', displayName: 'West Europe' }] },
  '/resourcegroups': { value: [{ name: 'web', location: 'westeurope' }] },
  '/providers/Microsoft.Compute/locations/westeurope/vmSizes': { value: [{ name: 'Standard_B2s', numberOfCores: 2 }] },
  [PUBLISHERS]: [{ name: 'Debian' }, { name: 'Empty' }],
  [OFFERS]: [{ name: 'debian-12' }],
  [`${OFFERS}/debian-12/skus`]: [{ name: '12-gen2' }],
  [`${OFFERS}/debian-12/skus/12-gen2/versions`]: [{ name: '0.20260101.1' }, { name: '0.20260201.1' }],
  '/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/vnet/subnets': {
    value: [
      {
        name: 'default',
        properties: { ipConfigurations: [{ id: `${ROOT}/x/networkInterfaces/n/ipConfigurations/n-ip` }] },
      },
    ],
  },
}
