// Functions of a project of Google Compute Engine, by Salt's names: networks, addresses, firewall rules, health checks, disks and snapshots.
import type { Dict, Plain } from '../../../data/mod.ts'
import { arg, type CloudFunction, cloudFunction } from '../../../sdk/mod.ts'
import { exit } from '../common/rest.ts'
import type { GceAccount } from './account.ts'
import { createDisk, findDisk, pathOfZonal } from './disks.ts'
import { type GceProject, part, text } from './project.ts'

const NAME = { name: arg.text('Name') } as const
const REGIONAL = { ...NAME, region: arg.text('Region') } as const
const DISK = { disk_name: arg.text('Name of the disk') } as const
const description = arg.text('Description', { default: '' })

interface Place {
  /** Path of the list. */
  list: string
  name: string
  /** The name of the kind, for errors. */
  what: string
}

const pathOf = ({ list, name, what }: Place): string => `${list}/${part(name, what)}`

const show = (project: GceProject, place: Place): Promise<Dict> =>
  project.get(pathOf(place), `${place.what} ${place.name}`)

async function make(project: GceProject, place: Place, body: { [key: string]: Plain }): Promise<Dict> {
  const { list, name, what } = place
  const path = pathOf(place)
  await project.change('POST', list, `The creation of the ${what} ${name}`, { name, ...body })
  return project.get(path, `${what} ${name}`)
}

async function remove(project: GceProject, place: Place): Promise<boolean> {
  const { name, what } = place
  if (await project.remove(pathOf(place), `The deletion of the ${what} ${name}`)) return true
  throw exit(`The project '${project.settings.project}' has no ${what} ${name}`)
}

type PlaceOf<A> = (project: GceProject, args: A) => Place

const ofProject =
  (kind: string, what: string): PlaceOf<{ name: string }> =>
  ({ root }, { name }) => ({ list: `${root}/global/${kind}`, name, what })

const ofRegion =
  (kind: string, what: string): PlaceOf<{ name: string; region: string }> =>
  (project, { name, region }) => ({ list: `${project.region(region)}/${kind}`, name, what })

const network = ofProject('networks', 'network')
const subnetwork = ofRegion('subnetworks', 'subnetwork')
const firewall = ofProject('firewalls', 'firewall rule')
const healthCheck = ofProject('httpHealthChecks', 'health check')
const snapshot = ofProject('snapshots', 'snapshot')
const address = ofRegion('addresses', 'address')

const shower = (place: PlaceOf<{ name: string }>, what: string): CloudFunction<GceAccount> =>
  cloudFunction({
    doc: `Return everything that Google tells of a ${what}.`,
    args: NAME,
    run: ({ project }: GceAccount, args) => show(project, place(project, args)),
  })

const remover = (place: PlaceOf<{ name: string }>, what: string): CloudFunction<GceAccount> =>
  cloudFunction({
    doc: `Delete a ${what}.`,
    args: NAME,
    run: ({ project }: GceAccount, args) => remove(project, place(project, args)),
  })

const regionalShower = (place: PlaceOf<{ name: string; region: string }>, what: string): CloudFunction<GceAccount> =>
  cloudFunction({
    doc: `Return everything that Google tells of a ${what}.`,
    args: REGIONAL,
    run: ({ project }: GceAccount, args) => show(project, place(project, args)),
  })

const regionalRemover = (place: PlaceOf<{ name: string; region: string }>, what: string): CloudFunction<GceAccount> =>
  cloudFunction({
    doc: `Delete a ${what}.`,
    args: REGIONAL,
    run: ({ project }: GceAccount, args) => remove(project, place(project, args)),
  })

const PROTOCOLS = ['tcp', 'udp', 'icmp']

/** Parse the permissions of a firewall rule, such as `tcp:80,tcp:443,icmp`. */
function allowedOf(allow: string): Plain[] {
  const ports = new Map<string, string[]>()
  for (const word of allow.split(',').map((one) => one.trim().toLowerCase())) {
    const [protocol = '', port] = word.split(':', 2)
    if (!PROTOCOLS.includes(protocol)) throw exit(`Unsupported protocol ${protocol}. Must be tcp, udp, or icmp.`)
    const known = ports.get(protocol) ?? []
    ports.set(protocol, port === undefined || protocol === 'icmp' ? known : [...known, port])
  }
  return [...ports].map(([name, list]) => ({ IPProtocol: name, ...(list.length > 0 && { ports: list }) }))
}

export const functions = {
  create_network: cloudFunction({
    doc: 'Make a network.',
    args: {
      ...NAME,
      cidr: arg.text('Addresses of a legacy network', { default: '' }),
      mode: arg.text('`legacy`, `auto` or `custom`', { default: 'legacy' }),
      description,
    },
    run: ({ project }: GceAccount, { name, cidr, mode, description }) => {
      if (mode === 'legacy' && cidr === '') {
        throw exit('A network CIDR range must be specified when creating a legacy network.')
      }
      const kind = mode === 'legacy' ? { IPv4Range: cidr } : { autoCreateSubnetworks: mode === 'auto' }
      return make(project, network(project, { name }), { description, ...kind })
    },
  }),
  delete_network: remover(network, 'network'),
  show_network: shower(network, 'network'),
  create_subnetwork: cloudFunction({
    doc: 'Make a subnetwork.',
    args: {
      ...REGIONAL,
      network: arg.text('Network of the subnetwork'),
      cidr: arg.text('Addresses'),
      description,
    },
    run: ({ project }: GceAccount, { name, region, network, cidr, description }) => {
      const named = `projects/${project.settings.project}/global/networks/${network}`
      const body = { description, ipCidrRange: cidr, network: named }
      return make(project, subnetwork(project, { name, region }), body)
    },
  }),
  delete_subnetwork: regionalRemover(subnetwork, 'subnetwork'),
  show_subnetwork: regionalShower(subnetwork, 'subnetwork'),
  create_fwrule: cloudFunction({
    doc: 'Make a firewall rule.',
    args: {
      ...NAME,
      allow: arg.text('Protocols and ports, such as `tcp:80,tcp:443,icmp`'),
      network: arg.text('Network', { default: 'default' }),
      src_range: arg.words('Addresses that may send', { default: ['0.0.0.0/0'] }),
      src_tags: arg.words('Tags of machines that may send', { default: [] }),
      dst_tags: arg.words('Tags of machines that are reached', { default: [] }),
    },
    run: ({ project }: GceAccount, { name, allow, network, src_range, src_tags, dst_tags }) =>
      make(project, firewall(project, { name }), {
        allowed: allowedOf(allow),
        network: `projects/${project.settings.project}/global/networks/${network}`,
        ...(src_range.length > 0 && { sourceRanges: src_range }),
        ...(src_tags.length > 0 && { sourceTags: src_tags }),
        ...(dst_tags.length > 0 && { targetTags: dst_tags }),
      }),
  }),
  delete_fwrule: remover(firewall, 'firewall rule'),
  show_fwrule: shower(firewall, 'firewall rule'),
  create_hc: cloudFunction({
    doc: 'Make an HTTP health check.',
    args: {
      ...NAME,
      host: arg.text('Host of the request', { default: '' }),
      path: arg.text('Path of the request', { default: '/' }),
      port: arg.count('Port', { default: 80 }),
      interval: arg.count('Seconds between two checks', { default: 5 }),
      timeout: arg.count('Seconds until an answer must come', { default: 5 }),
      unhealthy_threshold: arg.count('Failures that make a machine unhealthy', { default: 2 }),
      healthy_threshold: arg.count('Successes that make a machine healthy', { default: 2 }),
    },
    run: ({ project }: GceAccount, { name, host, path, port, interval, timeout, ...thresholds }) =>
      make(project, healthCheck(project, { name }), {
        ...{ requestPath: path, port, checkIntervalSec: interval, timeoutSec: timeout },
        unhealthyThreshold: thresholds.unhealthy_threshold,
        healthyThreshold: thresholds.healthy_threshold,
        ...(host !== '' && { host }),
      }),
  }),
  delete_hc: remover(healthCheck, 'health check'),
  show_hc: shower(healthCheck, 'health check'),
  create_address: cloudFunction({
    doc: 'Make a static address.',
    args: { ...REGIONAL, address: arg.text('The address, if it is known', { optional: true }) },
    run: ({ project }: GceAccount, { name, region, address: wanted }) =>
      make(project, address(project, { name, region }), wanted === null ? {} : { address: wanted }),
  }),
  delete_address: regionalRemover(address, 'address'),
  show_address: regionalShower(address, 'address'),
  create_disk: cloudFunction({
    doc: 'Make a disk, unless there is one of its name in the zone.',
    args: {
      ...DISK,
      location: arg.text('Zone'),
      size: arg.count('Size in GB', { optional: true }),
      image: arg.text('Image', { optional: true }),
      snapshot: arg.text('Snapshot', { optional: true }),
      type: arg.text('Type', { default: 'pd-standard' }),
    },
    run: ({ project }: GceAccount, { disk_name: name, location: zone, ...wanted }) =>
      createDisk(project, { name, zone, ...wanted }),
  }),
  delete_disk: cloudFunction({
    doc: 'Delete a disk.',
    args: DISK,
    run: async ({ project }: GceAccount, { disk_name }) =>
      project.remove(
        pathOfZonal(project, 'disks', await findDisk(project, disk_name)),
        `The deletion of the disk ${disk_name}`,
      ),
  }),
  show_disk: cloudFunction({
    doc: 'Return everything that Google tells of a disk.',
    args: DISK,
    run: ({ project }: GceAccount, { disk_name }) => findDisk(project, disk_name),
  }),
  create_snapshot: cloudFunction({
    doc: 'Make a snapshot of a disk.',
    args: { ...NAME, ...DISK },
    run: async ({ project }: GceAccount, { name, disk_name }) => {
      const disk = await findDisk(project, disk_name)
      const path = `${pathOfZonal(project, 'disks', disk)}/createSnapshot`
      await project.change('POST', path, `The snapshot ${name} of the disk ${text(disk, 'name')}`, { name })
      return show(project, snapshot(project, { name }))
    },
  }),
  delete_snapshot: remover(snapshot, 'snapshot'),
  show_snapshot: shower(snapshot, 'snapshot'),
}
