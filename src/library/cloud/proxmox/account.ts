// One Proxmox VE, a node or a cluster, as a provider of salt-cloud. The description of a machine has the token of its
// creation, by which an unfinished one is found again.
import { lookup } from 'node:dns/promises'
import { type Dict, dictFrom, isDict, str, type Value } from '../../../data/mod.ts'
import {
  awaitReady,
  type CloudAccount,
  type CloudContext,
  type CloudNode,
  type CloudSteps,
  type MachineRequest,
  type UnfinishedMachine,
} from '../../../sdk/mod.ts'
import { sortedAddresses, usableAddresses, usableFirst } from '../common/addresses.ts'
import { noteMade } from '../common/machine.ts'
import { exit } from '../common/rest.ts'
import { addressOf, ProxmoxApi, rowsIn } from './api.ts'
import {
  canTell,
  configOf,
  configuredAddresses,
  type Guest,
  guestOf,
  guestRows,
  inTurns,
  isTemplate,
  nodeOf,
  pathOf,
  toldAddresses,
} from './guest.ts'
import {
  configError,
  markOf,
  mergedValue,
  type Wanted,
  type WantedClone,
  wantedClone,
  wantedCreation,
} from './parameters.ts'
import type { MachineSettings, machine, ProviderSettings } from './settings.ts'

type Request = MachineRequest<typeof machine>

/** Requests for one list at the same time. */
const AT_ONCE = 8
/** How often a free id is requested: others may take it before the machine is created. */
const ID_ATTEMPTS = 20
const TASK_TIMEOUT = 1800
const TAKEN = /already exists|is already (used|in use)/i

export class ProxmoxAccount implements CloudAccount<typeof machine> {
  readonly api: ProxmoxApi
  private readonly ctx: CloudContext
  private readonly settings: ProviderSettings
  /** Creations of this process take their ids one after the other. */
  private taking: Promise<unknown> = Promise.resolve()

  constructor(ctx: CloudContext, settings: ProviderSettings) {
    addressOf(settings)
    this.ctx = ctx
    this.settings = settings
    this.api = new ProxmoxApi(ctx, settings)
  }

  async nodes(): Promise<CloudNode[]> {
    const rows = (await guestRows(this.api)).filter((row) => !isTemplate(row))
    const nodes = await inTurns(rows, AT_ONCE, (row) => nodeOf(this.api, row))
    return nodes.filter((node) => node !== undefined)
  }

  async create(request: Request, steps: CloudSteps): Promise<CloudNode> {
    const { name, settings } = request
    usableAddresses([], settings)
    const clone = wantedClone(request)
    const wanted = clone ?? wantedCreation(request)
    this.warn(request, wanted)
    const guest = clone ? await this.clone(request, clone, steps) : await this.make(request, wanted, steps)
    if (clone) await this.reconfigure(guest, clone.changes, settings)
    await this.power(guest, 'start', settings.wait_for_task_timeout)
    return this.awaitAddress(name, guest, request)
  }

  private warn({ name, settings, written }: Request, { type }: Wanted): void {
    const { log } = this.ctx
    if (type === 'lxc' && settings.disk !== null) log('warning', `${name}: 'disk' has no effect: write 'rootfs'`)
    const isOwn = settings.password !== null && settings.password === this.settings.password
    if (type === 'lxc' && isOwn && written.get('clone') !== true) {
      const what = `${name}: root of the container gets the password of the provider`
      log('warning', `${what}: write 'password' into the profile`)
    }
  }

  /** Create a machine, and wait until that is done. */
  private async make(request: Request, wanted: Wanted, steps: CloudSteps): Promise<Guest> {
    const node = this.nodeFor(request.name, request.settings, wanted)
    return this.begin({ ...wanted, node }, request, steps, (guest) => ({
      path: `/nodes/${node}/${guest.type}`,
      parameters: { ...wanted.parameters, vmid: guest.vmid },
    }))
  }

  private async clone(request: Request, wanted: WantedClone, steps: CloudSteps): Promise<Guest> {
    const { source, sourceNode, type } = wanted
    const rows = (await guestRows(this.api)).filter((row) => row.get('type') === type)
    const found = rows.find((row) => str(row.get('vmid') ?? null) === source || row.get('name') === source)
    if (found === undefined) throw exit(`${request.name}: there is no ${type} machine '${source}' to clone`)
    const from = guestOf(found)
    const named = this.nodeFor(request.name, request.settings, wanted, sourceNode ?? from.node)
    const target = named === from.node ? {} : { target: named }
    return this.begin({ ...wanted, node: named }, request, steps, (guest) => ({
      path: `${pathOf(from)}/clone`,
      parameters: { ...wanted.parameters, ...target, newid: guest.vmid },
    }))
  }

  /** Send the request that makes a machine, under a free id, and wait until its task has ended. */
  private async begin(
    wanted: Wanted & { node: string },
    { settings }: Request,
    steps: CloudSteps,
    requestFor: (guest: Guest) => { path: string; parameters: Record<string, string> },
  ): Promise<Guest> {
    const { type, node, vmid: given } = wanted
    const start = async (): Promise<[Guest, Value]> => {
      for (let attempt = 1; ; attempt++) {
        const vmid = given ?? str(await this.api.get('/cluster/nextid'))
        const guest: Guest = { type, node, vmid }
        const { path, parameters } = requestFor(guest)
        pathOf(guest)
        await steps.note(dictFrom({ vmid, node, type }))
        await steps.report('requesting', new Map([['kwargs', shown(parameters)]]))
        try {
          return [guest, await this.api.send('POST', path, parameters)]
        } catch (error) {
          if (given !== null || attempt >= ID_ATTEMPTS || !TAKEN.test((error as Error).message)) throw error
          this.ctx.log('debug', `Another machine has taken the id ${vmid}; attempt ${attempt}`)
        }
      }
    }
    const turn = this.taking.then(start, start)
    this.taking = turn.catch(() => undefined)
    const [guest, upid] = await turn
    await steps.note(new Map([['upid', upid]]))
    await noteMade(steps, 'vmid', guest.vmid)
    await this.api.finish(upid, settings.wait_for_task_timeout)
    return guest
  }

  /** Return the node that a machine is made on. */
  private nodeFor(name: string, { host }: MachineSettings, { node }: Wanted, otherwise: string | null = null): string {
    const { url, host: api, default_host } = this.settings
    const own = url === null && host === api ? null : host
    const found = node ?? own ?? default_host ?? otherwise
    if (found !== null) return found
    throw configError(`${name}: the setting 'host' must name the node to make the machine on`)
  }

  /** Give a clone the settings of its profile. */
  private async reconfigure(guest: Guest, changes: Record<string, string>, settings: MachineSettings): Promise<void> {
    if (Object.keys(changes).length === 0) return
    const config = (await configOf(this.api, guest)) ?? new Map()
    const merged = Object.entries(changes).map(([key, value]): [string, string] => {
      const before = config.get(key)
      return [key, /^net\d+$/.test(key) && before !== undefined ? mergedValue(str(before), value) : value]
    })
    const method = guest.type === 'qemu' ? 'POST' : 'PUT'
    const upid = await this.api.send(method, `${pathOf(guest)}/config`, Object.fromEntries(merged))
    await this.api.finish(upid, settings.wait_for_task_timeout)
  }

  private async awaitAddress(name: string, guest: Guest, { settings, written }: Request): Promise<CloudNode> {
    const { wait_for_ip_timeout: timeout, wait_for_ip_interval: interval } = settings
    const config = (await configOf(this.api, guest)) ?? new Map()
    const fixed = await this.knownAddresses(name, guest, config, settings)
    const isNeeded = written.get('deploy') !== false && settings.ssh_host === null
    if (isNeeded && fixed.length === 0 && !canTell(guest.type, config)) {
      const ways = 'ip_address, an address in ipconfig0, or agent_get_ip with an agent in the machine'
      throw exit(`${name} has no address that is known: write ${ways}`)
    }
    const what = `an address of ${name}`
    return awaitReady({ what, timeout, interval, signal: this.ctx.signal }, async () => {
      const status = await this.api.find(`${pathOf(guest)}/status/current`)
      if (status === undefined || !isDict(status)) throw exit(`${name} is gone while it starts`)
      if (status.get('status') !== 'running') return undefined
      const addresses = fixed.length > 0 || !isNeeded ? fixed : await toldAddresses(this.api, guest)
      if (isNeeded && usableAddresses(addresses, settings).length === 0) return undefined
      const row: Dict = new Map([...status, ['node', guest.node], ['type', guest.type], ['vmid', guest.vmid]])
      const node = await nodeOf(this.api, row, false)
      if (node === undefined) throw exit(`${name} is gone while it starts`)
      return { ...usableFirst({ ...node, ...sortedAddresses(addresses) }, settings), name }
    })
  }

  /** Return the addresses that are known without the machine. */
  private async knownAddresses(
    name: string,
    { type }: Guest,
    config: Dict,
    settings: MachineSettings,
  ): Promise<string[]> {
    const { ip_address, use_dns, agent_get_ip } = settings
    if (agent_get_ip) return []
    if (ip_address !== null) return [ip_address.replace(/\/\d+$/, '')]
    const looked = use_dns ? await lookup(name).catch(() => undefined) : undefined
    return looked ? [looked.address] : configuredAddresses(type, config)
  }

  /** Change the power of a machine, and wait until that is done. */
  async power(guest: Guest, word: string, timeout = TASK_TIMEOUT): Promise<void> {
    await this.api.finish(await this.api.send('POST', `${pathOf(guest)}/status/${word}`), timeout)
  }

  async destroy(node: CloudNode): Promise<Dict> {
    const guest = await this.guestNamed(node)
    const config = await configOf(this.api, guest)
    if (config !== undefined && str(config.get('protection') ?? null) === '1') {
      throw exit(`${node.name} is protected from being destroyed: set its parameter protection to 0`)
    }
    await this.remove(guest)
    return new Map([['Destroyed', `${node.name} was destroyed.`]])
  }

  /** Stop a machine and remove it with its disks. */
  private async remove(guest: Guest): Promise<void> {
    const status = await this.api.find(`${pathOf(guest)}/status/current`)
    if (status === undefined) return
    if (isDict(status) && status.get('status') !== 'stopped') await this.power(guest, 'stop')
    await this.api.finish(await this.api.send('DELETE', `${pathOf(guest)}?purge=1`), TASK_TIMEOUT)
  }

  /** Return where a machine is now: it may have moved to another node. */
  async guestNamed({ name, id }: CloudNode): Promise<Guest> {
    const row = (await guestRows(this.api)).find((one) => str(one.get('vmid') ?? null) === str(id))
    if (row === undefined) throw exit(`${name} is gone`)
    return guestOf(row)
  }

  async undo({ token, noted }: UnfinishedMachine): Promise<void> {
    const vmid = noted.get('vmid')
    if (vmid === undefined) return
    const upid = noted.get('upid')
    if (upid !== undefined) await this.api.abort(upid, TASK_TIMEOUT)
    const row = (await guestRows(this.api)).find((one) => str(one.get('vmid') ?? null) === str(vmid))
    if (row === undefined) return
    const guest = guestOf(row)
    const config = await this.settledConfig(guest)
    // the id may be that of another machine
    if (config === undefined || !str(config.get('description') ?? null).includes(markOf(token))) return
    if (str(config.get('protection') ?? null) === '1') {
      await this.api.send('PUT', `${pathOf(guest)}/config`, { protection: '0' })
    }
    await this.remove(guest)
  }

  /** Return the configuration of a machine when its creation does not go on any more: it may have no description until then. */
  private settledConfig(guest: Guest): Promise<Dict | undefined> {
    const what = `the end of the creation of machine ${guest.vmid}`
    return awaitReady({ what, timeout: TASK_TIMEOUT, signal: this.ctx.signal }, async () => {
      const config = await configOf(this.api, guest)
      return config && /^(create|clone)$/.test(str(config.get('lock') ?? null)) ? undefined : [config]
    }).then(([config]) => config)
  }

  async locations(): Promise<Dict> {
    const rows = rowsIn(await this.api.get('/nodes'))
    return new Map(rows.map((row): [Value, Value] => [row.get('node') ?? null, row]))
  }

  /** Return templates of containers, disks and images of all nodes that are online, and machines that are templates. */
  async images(storage: string | null = null): Promise<Dict> {
    const found: Dict = new Map()
    for (const [node, facts] of await this.locations()) {
      if (isDict(facts) && facts.get('status') === 'offline') continue
      for (const place of rowsIn(await this.api.get(`/nodes/${encodeURIComponent(str(node))}/storage?enabled=1`))) {
        const name = str(place.get('storage') ?? null)
        const holdsImages = /\b(vztmpl|iso|import)\b/.test(str(place.get('content') ?? ''))
        if (storage === null ? !holdsImages : name !== storage) continue
        const path = `/nodes/${encodeURIComponent(str(node))}/storage/${encodeURIComponent(name)}/content`
        for (const row of rowsIn(await this.api.get(path))) {
          if (storage !== null || /^(vztmpl|iso|import)$/.test(str(row.get('content') ?? 'iso')))
            found.set(row.get('volid') ?? null, row)
        }
      }
    }
    if (storage !== null) return found
    for (const row of (await guestRows(this.api)).filter(isTemplate)) found.set(row.get('id') ?? null, row)
    return found
  }
}

/** Return parameters for the event, without secrets. */
const shown = (parameters: Record<string, string>): Dict =>
  new Map(Object.entries(parameters).filter(([key]) => !/password|sshkeys|^env$/i.test(key)))
