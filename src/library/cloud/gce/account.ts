// A project of Google Compute Engine as a provider of salt-cloud. All resources of a creation have a label with its
// token, by which they are found after a failure; a static address, which accepts no label at its creation, has the
// token in its description.
import { type Dict, dictFrom, isDict, isList, str, type Value } from '../../../data/mod.ts'
import type {
  CloudAccount,
  CloudContext,
  CloudNode,
  CloudSteps,
  MachineRequest,
  UnfinishedMachine,
} from '../../../sdk/mod.ts'
import { addressesFor, awaitAddress, reportRequest } from '../common/machine.ts'
import { at, byField, exit, rowsOf } from '../common/rest.ts'
import { addVolumes, labelOf, pathOfZonal } from './disks.ts'
import { allImages, findImage } from './image.ts'
import { CREATION_LABEL, checkVmName, interfaceOf, launchBody, literalsOf, withoutScripts } from './launch.ts'
import { GceProject, lastPart, part, regionOf, text } from './project.ts'
import { configError, dictsSetting, type machine, type ProviderSettings } from './settings.ts'

/** Google calls a machine that is off TERMINATED, which elsewhere means that it is gone. */
const STOPPED = 'STOPPED'

type Request = MachineRequest<typeof machine>

export class GceAccount implements CloudAccount<typeof machine> {
  readonly project: GceProject
  private readonly ctx: CloudContext

  constructor(ctx: CloudContext, settings: ProviderSettings) {
    this.ctx = ctx
    this.project = new GceProject(ctx, settings)
  }

  async nodes(): Promise<CloudNode[]> {
    const instances = await this.project.everywhere('instances')
    if (instances.length === 0) return []
    const disks = await this.project.everywhere('disks')
    const images = new Map(disks.map((disk) => [pathOfZonal(this.project, 'disks', disk), text(disk, 'sourceImage')]))
    return instances.map((instance) => nodeOf(instance, this.imageOf(instance, images)))
  }

  private imageOf(instance: Dict, images: ReadonlyMap<string, string>): Value {
    const boot = rowsOf(instance, 'disks').find((disk) => disk.get('boot') === true)
    const source = boot && /zones\/([^/]+)\/disks\/([^/]+)$/.exec(text(boot, 'source'))
    if (!source) return null
    const image = images.get(`${this.project.zone(source[1] ?? '')}/disks/${source[2]}`)
    return image ? lastPart(image) : null
  }

  /** Return a machine as Google describes it now. */
  instance(node: CloudNode): Promise<Dict> {
    return this.project.get(pathOfNode(this.project, node), `machine ${node.name}`)
  }

  async create(request: Request, steps: CloudSteps): Promise<CloudNode> {
    const { name, settings, token } = request
    checkVmName(name)
    const volumes = await dictsSetting(settings.volumes, 'volumes')
    const literals = await literalsOf(settings)
    const zone = this.project.zone(settings.location)
    await steps.note(new Map([['zone', settings.location]]))
    const disks = await this.disksFor(request)
    const body = launchBody({ ...request, disks, literals })
    const address = await this.addressFor(request, steps)
    const networkInterfaces = [interfaceOf(settings, address, this.project.settings.project)]
    await reportRequest(steps, name, settings)
    const what = `The creation of ${name}`
    await this.project.change('POST', `${zone}/instances`, what, { ...body, networkInterfaces })
    await steps.report('querying', new Map([['name', name]]))
    const path = `${zone}/instances/${name}`
    const ssh_interface = address === null ? 'private_ips' : settings.ssh_interface
    const look = async () => {
      const found = await this.project.find(path)
      return found ? nodeOf(found, disks.image === null ? null : lastPart(disks.image)) : null
    }
    await awaitAddress(this.ctx, name, { ...settings, ssh_interface }, look, ({ state }) => {
      if (state === STOPPED) throw exit(`${name} ended while it started`)
      return state === 'RUNNING'
    })
    if (volumes.length > 0) {
      await steps.report('attaching_volumes', new Map([['volumes', volumes]]))
      await addVolumes(this.project, await this.project.get(path, `machine ${name}`), volumes, {
        [CREATION_LABEL]: token,
      })
    }
    const node = await look()
    if (node === null || addressesFor(node, { ssh_interface }).length === 0)
      throw exit(`${name} is gone while it starts`)
    return node
  }

  /** Find the image, or the existing disk. */
  private async disksFor({ name, settings }: Request): Promise<{ image: string | null; existing: Dict | undefined }> {
    if (settings.ex_disks_gce_struct !== null) return { image: null, existing: undefined }
    const path = `${this.project.zone(settings.location)}/disks/${part(name, 'disk')}`
    const existing = settings.use_persistent_disk ? await this.project.find(path) : undefined
    if (existing) this.ctx.log('info', `${name} boots from the disk of its name, which is there already`)
    if (settings.image === null && !existing) throw configError(`${name} needs the setting 'image'`)
    const image = existing || settings.image === null ? null : await findImage(this.project, settings.image)
    return { existing, image: existing ? text(existing, 'sourceImage') || null : image }
  }

  /** Return the static address that is wanted, which is made if need be; null for none, undefined for one of Google's choice. */
  private async addressFor({ name, settings, token }: Request, steps: CloudSteps): Promise<string | null | undefined> {
    const wanted = settings.external_ip
    if (wanted.toLowerCase() === 'ephemeral') return undefined
    if (wanted === '' || wanted === 'None') return null
    const region = regionOf(settings.location)
    const addresses = `${this.project.region(region)}/addresses`
    const path = `${addresses}/${part(wanted, 'address')}`
    let found = await this.project.find(path)
    if (!found) {
      await steps.note(dictFrom({ address: wanted, region }))
      const body = { name: wanted, description: addressMark(token) }
      await this.project.change('POST', addresses, `The creation of the address ${wanted} for ${name}`, body)
      found = await this.project.get(path, `address ${wanted}`)
    }
    return text(found, 'address')
  }

  async destroy(node: CloudNode): Promise<boolean> {
    return this.project.remove(pathOfNode(this.project, node), `The deletion of ${node.name}`)
  }

  async undo({ name, token, noted }: UnfinishedMachine): Promise<void> {
    const zone = str(noted.get('zone') ?? '')
    const ours = `labels.${CREATION_LABEL} = ${part(token, 'creation')}`
    // a resource cannot be deleted while it is being created
    if (zone !== '') await this.project.settle(zone, (target) => isOf(name, target))
    for (const instance of await this.project.everywhere('instances', ours)) {
      if (labelOf(instance, CREATION_LABEL) === token) await this.removeInstance(instance, token)
    }
    for (const disk of await this.project.everywhere('disks', ours)) {
      if (labelOf(disk, CREATION_LABEL) !== token) continue
      await this.project.remove(
        pathOfZonal(this.project, 'disks', disk),
        `The deletion of the disk ${text(disk, 'name')}`,
      )
    }
    await this.removeAddress(token, noted)
  }

  /** Delete the machine of a creation; disks that existed before stay. */
  private async removeInstance(instance: Dict, token: string): Promise<void> {
    const path = pathOfZonal(this.project, 'instances', instance)
    const what = text(instance, 'name')
    for (const attached of rowsOf(instance, 'disks')) {
      const place = /zones\/([^/]+)\/disks\/([^/]+)$/.exec(text(attached, 'source'))
      if (attached.get('autoDelete') !== true || !place) continue
      const [, zone = '', name = ''] = place
      const disk = await this.project.find(`${this.project.zone(zone)}/disks/${part(name, 'disk')}`)
      if (!disk || labelOf(disk, CREATION_LABEL) === token) continue
      const device = encodeURIComponent(text(attached, 'deviceName'))
      const query = `autoDelete=false&deviceName=${device}`
      await this.project.change('POST', `${path}/setDiskAutoDelete?${query}`, `The release of the disk ${name}`)
    }
    await this.project.remove(path, `The deletion of ${what}`)
  }

  private async removeAddress(token: string, noted: Dict): Promise<void> {
    const [name, region] = [noted.get('address'), noted.get('region')]
    if (name === undefined || region === undefined) return
    const path = `${this.project.region(str(region))}/addresses/${part(str(name), 'address')}`
    const found = await this.project.find(path)
    if (found && text(found, 'description') === addressMark(token)) {
      await this.project.remove(path, `The deletion of the address ${str(name)}`)
    }
  }

  async locations(): Promise<Dict> {
    return byField(await this.project.list(`${this.project.root}/zones`), 'name')
  }

  images(): Promise<Dict> {
    return allImages(this.project)
  }

  /** Return machine types by their names, each with the zones that have it. */
  async sizes(): Promise<Dict> {
    const sizes: Dict = new Map()
    for (const row of await this.project.everywhere('machineTypes')) {
      const name = text(row, 'name')
      const zone = text(row, 'zone')
      const known = sizes.get(name)
      if (known !== undefined && isDict(known)) {
        const zones = known.get('zones')
        if (zones !== undefined && isList(zones)) zones.push(zone)
      } else sizes.set(name, new Map<Value, Value>([...row, ['zones', [zone]]]))
    }
    return sizes
  }

  /** Switch the power of a machine, and wait until that is done. */
  async act(node: CloudNode, word: string): Promise<boolean> {
    await this.project.change('POST', `${pathOfNode(this.project, node)}/${word}`, `The action ${word} of ${node.name}`)
    return true
  }
}

const addressMark = (token: string): string => `${CREATION_LABEL}=${token}`

/** Whether an operation concerns a machine with this name, or one of its disks. */
const isOf = (name: string, target: string): boolean => {
  const [found = '', kind = ''] = target.split('/').reverse()
  return kind === 'instances' ? found === name : kind === 'disks' && (found === name || found.startsWith(`${name}-sd`))
}

export const pathOfNode = (project: GceProject, node: CloudNode): string =>
  `${project.zone(lastPart(node.details?.get('zone') ?? null))}/instances/${part(node.name, 'machine')}`

function nodeOf(instance: Dict, image: Value): CloudNode {
  const interfaces = rowsOf(instance, 'networkInterfaces')
  const filled = (values: Value[]): string[] => values.filter((value) => value !== null).map(str)
  return {
    name: text(instance, 'name'),
    id: instance.get('id') ?? null,
    image,
    size: lastPart(instance.get('machineType') ?? null),
    state: text(instance, 'status') === 'TERMINATED' ? STOPPED : text(instance, 'status') || 'UNKNOWN',
    private_ips: filled(interfaces.map((one) => one.get('networkIP') ?? null)),
    public_ips: filled(interfaces.flatMap((one) => rowsOf(one, 'accessConfigs').map((access) => at(access, 'natIP')))),
    details: withoutScripts(instance),
  }
}
