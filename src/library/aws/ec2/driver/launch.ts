// The request for a machine of EC2: the parameters of RunInstances and of RequestSpotInstances, of the settings of a profile.
import { type Dict, isDict, isList, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import type { Host } from '../../../../sdk/mod.ts'
import type { AwsCaller } from '../../common/caller.ts'
import { EC2_PAGES, filtersOf } from '../../common/ec2.ts'
import type { Parameter, Parameters } from '../../common/form.ts'
import type { MachineSettings } from './settings.ts'

export const configError = (message: string): SaltError => new SaltError('SaltCloudConfigError', message)

const listed = (value: string | Value[] | null): string[] => (value === null ? [] : [value].flat().map(str))

/** Return a value of a file as a parameter. */
export function parameterOf(value: Value): Parameter {
  if (isDict(value)) return parametersOf(value)
  if (isList(value)) return value.map(parameterOf)
  if (value === null || typeof value === 'boolean') return value
  return str(value)
}

/** Return a dict of a file as parameters. Keys may contain dots. */
const parametersOf = (dict: Dict): Parameters =>
  Object.fromEntries([...dict].map(([key, value]) => [str(key), parameterOf(value)]))

/** Return dicts of a setting; `where` names it in the error about anything else. */
export function dictsOf(values: readonly Value[], where: string): Dict[] {
  return values.map((value) => {
    if (isDict(value)) return value
    throw configError(`Each entry of '${where}' must be a dict`)
  })
}

/** Return the id of the only resource with a name; throw if there is none or more than one. */
async function idByName(
  ec2: AwsCaller,
  what: string,
  request: { action: string; list: string; field: string },
  filters: [string, string][],
): Promise<string> {
  const found = await ec2.rows(request.action, filtersOf(filters), request.list, EC2_PAGES)
  const id = found[0]?.text(request.field)
  if (found.length === 1 && id) return id
  throw configError(`${found.length === 0 ? 'No' : 'More than one'} ${what} has the name '${filters[0]![1]}'`)
}

const withinVpc = (vpc: string | null): [string, string][] => (vpc === null ? [] : [['vpc-id', vpc]])

export const subnetByName = (ec2: AwsCaller, name: string, vpc: string | null = null): Promise<string> =>
  idByName(ec2, 'subnet', { action: 'DescribeSubnets', list: 'subnetSet', field: 'subnetId' }, [
    ['tag:Name', name],
    ...withinVpc(vpc),
  ])

export const groupByName = (ec2: AwsCaller, name: string, vpc: string | null = null): Promise<string> =>
  idByName(ec2, 'security group', { action: 'DescribeSecurityGroups', list: 'securityGroupInfo', field: 'groupId' }, [
    ['group-name', name],
    ...withinVpc(vpc),
  ])

/** Return the ids of the groups of a machine. `security_groups` has ids and names. */
async function groupIds(ec2: AwsCaller, settings: MachineSettings): Promise<string[]> {
  const either = listed(settings.security_groups)
  const isId = (group: string): boolean => /^sg-[0-9a-f]{8,17}$/.test(group)
  const names = [...listed(settings.securitygroupname), ...either.filter((group) => !isId(group))]
  return [
    ...listed(settings.securitygroupid),
    ...either.filter(isId),
    ...(await Promise.all(names.map((name) => groupByName(ec2, name, settings.vpc_id)))),
  ]
}

/** Return the id of the subnet of a machine; null where AWS chooses it. */
async function subnetOf(ec2: AwsCaller, settings: MachineSettings): Promise<string | null> {
  const { subnetid, subnet_id, subnetname, vpc_id } = settings
  return subnetid ?? subnet_id ?? (subnetname === null ? null : await subnetByName(ec2, subnetname, vpc_id))
}

/** Return the id of an image; a text that is no id is its name, and the newest image of that name counts. */
async function imageId(ec2: AwsCaller, image: string): Promise<string> {
  if (/^ami-[0-9a-f]+$/.test(image)) return image
  const found = await ec2.rows('DescribeImages', filtersOf([['name', image]]), 'imagesSet', EC2_PAGES)
  const newest = found.sort((a, b) => ((a.text('creationDate') ?? '') < (b.text('creationDate') ?? '') ? 1 : -1))[0]
  const id = newest?.text('imageId')
  if (!id) throw configError(`No image has the name '${image}'`)
  return id
}

async function userData(host: Host, { userdata, userdata_file }: MachineSettings): Promise<string | null> {
  if (userdata_file !== null) return Buffer.from(await host.read(userdata_file)).toString('base64')
  return userdata === null ? null : Buffer.from(userdata).toString('base64')
}

/** Return the mappings of volumes; the root volume is included if it should be deleted with the machine. */
async function deviceMappings(ec2: AwsCaller, image: string, settings: MachineSettings): Promise<Parameters[]> {
  const mappings = dictsOf(settings.block_device_mappings, 'block_device_mappings').map((given) => {
    const mapping = new Map(given)
    mapping.delete('tag')
    if (settings.del_all_vols_on_destroy && !mapping.has('Ebs.DeleteOnTermination')) {
      const isVolume = [...mapping.keys()].some((key) => str(key).startsWith('Ebs'))
      if (isVolume && !mapping.has('Ebs')) mapping.set('Ebs.DeleteOnTermination', true)
    }
    return mapping
  })
  if (settings.del_root_vol_on_destroy) {
    const answer = await ec2.query('DescribeImages', { ImageId: [image] })
    const [described] = answer.rows('imagesSet')
    const root = described?.text('rootDeviceName')
    if (root) {
      const own = described!.rows('blockDeviceMapping').find((row) => row.text('deviceName') === root)
      const known = mappings.find((mapping) => mapping.get('DeviceName') === root)
      const mapping = known ?? new Map<Value, Value>([['DeviceName', root]])
      if (known === undefined) mappings.push(mapping)
      if (!mapping.has('Ebs.VolumeSize')) mapping.set('Ebs.VolumeSize', own?.text('ebs.volumeSize') ?? null)
      mapping.set('Ebs.DeleteOnTermination', true)
    }
  }
  return mappings.map(parametersOf)
}

export interface Launch {
  /** The settings of a machine, with or without a spot bid. */
  specification: Parameters
  isSpot: boolean
}

/** Return the settings as parameters. Nothing is made here. */
export async function launchOf(ec2: AwsCaller, host: Host, name: string, settings: MachineSettings): Promise<Launch> {
  const { spot_config, tenancy, iam_profile } = settings
  if (settings.min_instance !== 1 || settings.max_instance !== 1) {
    throw configError(`'min_instance' and 'max_instance' of ${name} must be 1: one name is one machine`)
  }
  if (spot_config !== null && !truthy(spot_config.get('spot_price') ?? null)) {
    throw configError(`Spot instance config for ${name} requires a spot_price attribute.`)
  }
  if (spot_config !== null && tenancy !== null) {
    throw configError(`Spot instance config for ${name} does not support specifying tenancy.`)
  }
  const image = await imageId(ec2, settings.image)
  const groups = await groupIds(ec2, settings)
  const hasInterfaces = settings.network_interfaces.length > 0
  return {
    isSpot: spot_config !== null,
    specification: {
      ImageId: image,
      InstanceType: settings.size,
      KeyName: settings.keyname,
      UserData: await userData(host, settings),
      SecurityGroup: listed(settings.securitygroup),
      SecurityGroupId: hasInterfaces ? [] : groups,
      SubnetId: hasInterfaces ? null : await subnetOf(ec2, settings),
      IamInstanceProfile:
        iam_profile === null ? null : iam_profile.startsWith('arn:') ? { Arn: iam_profile } : { Name: iam_profile },
      Placement: {
        AvailabilityZone: settings.availability_zone,
        Tenancy: tenancy,
        GroupName: settings.placementgroup,
      },
      EbsOptimized: settings.ebs_optimized || null,
      BlockDeviceMapping: await deviceMappings(ec2, image, settings),
    },
  }
}
