// A Proxmox VE of the tests: answers in the shapes of the documented interface, over machines that it remembers.
import { type Asked, type Json, type Provider, Reply } from './listener.ts'

interface Guest {
  type: string
  node: string
  status: string
  config: Json
}

export const USER = 'salt@pve'
export const PASSWORD = 'correct horse'
export const TOKEN = 'c1a9f0de-1111-2222-3333-444455556666'
const TEMPLATE_MAC = 'BC:24:11:00:00:01'

export class ProxmoxService {
  readonly guests = new Map<string, Guest>()
  readonly tasks = new Map<string, { status: string; exitstatus?: string }>()
  /** Tickets that count. */
  readonly tickets = new Set<string>()
  logins = 0
  /** The errors of tasks of a kind. */
  readonly failing = new Map<string, string>()
  /** Kinds of tasks that go on for ever. */
  readonly endless = new Set<string>()
  /** The answer of each machine's agent, after some requests without an answer. */
  agent: { address: string; silent: number } = { address: '192.0.2.44', silent: 0 }
  /** Ids that other clients take while one is requested. */
  readonly takenMeanwhile: string[] = []

  constructor() {
    this.guests.set('9000', {
      type: 'qemu',
      node: 'pve1',
      status: 'stopped',
      config: { name: 'debian-12', template: 1, net0: `virtio=${TEMPLATE_MAC},bridge=vmbr0,firewall=1`, agent: '1' },
    })
  }

  readonly answer: Provider = (asked) => {
    const path = asked.path.replace(/^\/api2\/json/, '')
    if (path === '/access/ticket') return this.logIn(asked.body)
    if (!this.mayCall(asked)) return new Reply(401, { data: null, message: 'authentication failure\n' })
    const data = this.route({ ...asked, path })
    return data instanceof Reply ? data : { data }
  }

  private logIn({ username, password }: Json): Json | Reply {
    if (username !== USER || password !== PASSWORD) {
      return new Reply(401, { data: null, message: 'authentication failure\n' })
    }
    const ticket = `PVE:${USER}:${++this.logins}::c2ln+bmF0dXJl/==`
    this.tickets.add(ticket)
    return { data: { username, ticket, CSRFPreventionToken: `csrf-${this.logins}` } }
  }

  private mayCall({ headers, method }: Asked): boolean {
    if (headers.authorization) return headers.authorization === `PVEAPIToken=${USER}!cloud=${TOKEN}`
    const cookie = decodeURIComponent(/PVEAuthCookie=([^;]+)/.exec(headers.cookie ?? '')?.[1] ?? '')
    const hasCsrf = method === 'GET' || /^csrf-\d+$/.test(String(headers['csrfpreventiontoken']))
    return this.tickets.has(cookie) && hasCsrf
  }

  private route(asked: Asked): unknown {
    const { method, path, query, body } = asked
    if (path === '/cluster/nextid') return this.nextId()
    if (path === '/cluster/resources') {
      if (query.get('type') === 'node') return [{ type: 'node', node: 'pve1', status: 'online', maxcpu: 8 }]
      return [...this.guests].map(([vmid, guest]) => this.rowOf(vmid, guest))
    }
    if (path === '/nodes')
      return [
        { node: 'pve1', status: 'online' },
        { node: 'pve2', status: 'offline' },
      ]
    if (path === '/nodes/pve1/storage')
      return [
        { storage: 'local', content: 'iso,vztmpl,backup' },
        { storage: 'lvm', content: 'images' },
      ]
    if (path === '/nodes/pve1/storage/local/content') {
      return [
        { volid: 'local:vztmpl/debian-12.tar.zst', content: 'vztmpl' },
        { volid: 'local:backup/one.vma', content: 'backup' },
      ]
    }
    const task = /^\/nodes\/[\w-]+\/tasks\/([^/]+)(\/status)?$/.exec(path)
    if (task) return this.taskAt(method, decodeURIComponent(task[1]!))
    const creation = /^\/nodes\/([\w-]+)\/(qemu|lxc)$/.exec(path)
    if (creation) return this.create(creation[1]!, creation[2]!, body)
    const [, , type, vmid, rest] = /^\/nodes\/([\w-]+)\/(qemu|lxc)\/(\d+)(\/.*)?$/.exec(path) ?? []
    const guest = this.guests.get(vmid ?? '')
    if (guest === undefined || guest.type !== type) {
      return new Reply(500, { data: null, message: `Configuration file '${vmid}.conf' does not exist\n` })
    }
    return this.guestAt(asked, vmid!, guest, rest ?? '')
  }

  private guestAt({ method, body }: Asked, vmid: string, guest: Guest, rest: string): unknown {
    if (method === 'DELETE') {
      if (guest.status !== 'stopped') return new Reply(500, { data: null, message: `VM ${vmid} is running\n` })
      return this.task(guest.node, 'destroy', vmid, () => this.guests.delete(vmid))
    }
    if (rest === '/config' && method === 'GET') return guest.config
    if (rest === '/config') {
      Object.assign(guest.config, body)
      return method === 'POST' ? this.task(guest.node, 'qmconfig', vmid) : null
    }
    if (rest === '/status/current') return { vmid, status: guest.status, name: guest.config['name'] }
    if (rest.startsWith('/status/')) {
      const status = /start|reboot/.test(rest) ? 'running' : 'stopped'
      return this.task(guest.node, rest.slice(8), vmid, () => void (guest.status = status))
    }
    if (rest === '/clone') {
      const name = body['name']
      const config = {
        ...guest.config,
        template: 0,
        name,
        description: body['description'],
        net0: `virtio=BC:24:11:00:00:02,bridge=vmbr0,firewall=1`,
      }
      return this.task(guest.node, 'qmclone', vmid, () =>
        this.add(String(body['newid']), {
          type: guest.type,
          node: String(body['target'] ?? guest.node),
          status: 'stopped',
          config,
        }),
      )
    }
    if (rest === '/agent/network-get-interfaces') {
      if (this.agent.silent-- > 0) return new Reply(500, { data: null, message: 'QEMU guest agent is not running\n' })
      return {
        result: [
          { name: 'lo', 'hardware-address': '00:00:00:00:00:00', 'ip-addresses': [{ 'ip-address': '127.0.0.1' }] },
          {
            name: 'eth0',
            'hardware-address': 'bc:24:11:00:00:02',
            'ip-addresses': [
              { 'ip-address': '172.17.0.1' },
              { 'ip-address': this.agent.address },
              { 'ip-address': 'fe80::1' },
            ],
          },
        ],
      }
    }
    if (rest === '/interfaces')
      return [
        { name: 'lo', inet: '127.0.0.1/8' },
        { name: 'eth0', inet: '10.1.2.3/24', inet6: 'fe80::2/64' },
      ]
    return undefined
  }

  private add(vmid: string, guest: Guest): void {
    this.guests.set(vmid, guest)
  }

  private create(node: string, type: string, body: Json): unknown {
    const { vmid, ...config } = body
    if (this.guests.has(String(vmid))) {
      return new Reply(500, {
        data: null,
        message: `unable to create VM ${vmid}: VM ${vmid} already exists on node '${node}'\n`,
      })
    }
    if (config['memory'] === 'much') {
      return new Reply(400, {
        data: null,
        message: 'Parameter verification failed.\n',
        errors: { memory: "type check ('integer') failed" },
      })
    }
    return this.task(node, type === 'lxc' ? 'vzcreate' : 'qmcreate', String(vmid), () =>
      this.add(String(vmid), { type, node, status: 'stopped', config }),
    )
  }

  private nextId(): string {
    let id = 100
    while (this.guests.has(String(id))) id++
    const taken = this.takenMeanwhile.shift()
    if (taken) this.add(String(id), { type: 'lxc', node: 'pve1', status: 'running', config: { hostname: taken } })
    return String(id)
  }

  private rowOf(vmid: string, { type, node, status, config }: Guest): Json {
    const name = config['name'] ?? config['hostname']
    return {
      id: `${type}/${vmid}`,
      type,
      vmid: Number(vmid),
      node,
      status,
      name,
      template: config['template'] ?? 0,
      disk: 0,
    }
  }

  /** Begin a task; it is done at once unless tasks of its kind fail or never end. */
  private task(node: string, kind: string, vmid: string, done: () => void = () => {}): string {
    const upid = `UPID:${node}:0000${this.tasks.size}:00A21BA7:618C1D55:${kind}:${vmid}:${USER}:`
    const problem = this.failing.get(kind)
    if (!problem) done()
    this.tasks.set(
      upid,
      this.endless.has(kind) ? { status: 'running' } : { status: 'stopped', exitstatus: problem ?? 'OK' },
    )
    return upid
  }

  private taskAt(method: string, upid: string): unknown {
    const task = this.tasks.get(upid)
    if (method === 'DELETE' && task) {
      task.status = 'stopped'
      task.exitstatus = 'interrupted by signal'
      return null
    }
    return task ?? new Reply(500, { data: null, message: `no such task '${upid}'\n` })
  }
}
