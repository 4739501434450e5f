// The state of a zone of Route 53: its comment, and the networks that see it.
import { type Dict, isDict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { changed, failed, type StateContext, type Steps, settled } from '../../../sdk/mod.ts'
import { askerOf } from '../common/ask.ts'
import { type AwsLogin, loginOf } from '../common/login.ts'
import { dictsIn } from '../common/structured.ts'

const ask = askerOf('boto3_route53')

interface Network {
  VPCId: string
  VPCRegion: string
}

interface Zone {
  Name: string
  PrivateZone: boolean
  CallerReference: string | null
  Comment: string | null
  networks: Network[]
}

const textIn = (dict: Dict, key: string): string | null => {
  const value = dict.get(key) ?? null
  return truthy(value) ? str(value) : null
}

const SHAPE =
  "Parameter 'VPCs' must be a list of dicts, each composed of either a 'VPCId' or a 'VPCName', and optionally a 'VPCRegion', to help distinguish between multitple matches."

/** Return the networks of a state by id and region; a text says which is not found. */
export async function networksOf(ctx: StateContext, given: Value, login: AwsLogin): Promise<Network[] | string> {
  const networks: Network[] = []
  if (!truthy(given)) return networks
  if (!isList(given)) throw misuse("Parameter 'VPCs' must be a list of dicts.")
  for (const entry of given) {
    const [id, name] = isDict(entry) ? [textIn(entry, 'VPCId'), textIn(entry, 'VPCName')] : [null, null]
    if (!isDict(entry) || (id === null) === (name === null)) throw misuse(SHAPE)
    const region = textIn(entry, 'VPCRegion')
    const answer = await ctx.call('boto_vpc.describe_vpcs', [], { vpc_id: id, name, ...loginOf(login) })
    const all = dictsIn(isDict(answer) ? (answer.get('vpcs') ?? null) : null)
    const found = all.filter((one) => region === null || one.get('region') === region)
    const criteria = `matching given criteria (vpc: ${name ?? id} / vpc_region: ${str(region)})`
    const [network] = found
    if (network === undefined) return `A VPC ${criteria} not found.`
    if (found.length > 1) {
      return `Multiple VPCs ${criteria} found: ${found.map((one) => textIn(one, 'id')).join(', ')}.`
    }
    networks.push({ VPCId: str(network.get('id') ?? ''), VPCRegion: region ?? str(network.get('region') ?? '') })
  }
  return networks
}

interface Gap {
  /** Undefined if there is no zone yet. */
  present: Dict | undefined
  isCommentWrong: boolean
  add: Network[]
  remove: Network[]
}

/** Return the differences between a zone and the wanted one. */
function gapOf(zone: Zone, present: Dict | undefined): Gap {
  // a zone is made with one network, and the others see it later
  if (present === undefined) return { present, isCommentWrong: false, add: zone.networks.slice(1), remove: [] }
  const config = (present.get('HostedZone') as Dict).get('Config') ?? null
  const comment = isDict(config) ? (textIn(config, 'Comment') ?? '') : ''
  const now = dictsIn(present.get('VPCs') ?? null).map((one) => ({
    VPCId: str(one.get('VPCId') ?? ''),
    VPCRegion: str(one.get('VPCRegion') ?? ''),
  }))
  const has = (list: readonly Network[], { VPCId }: Network): boolean => list.some((one) => one.VPCId === VPCId)
  return {
    present,
    isCommentWrong: zone.Comment !== null && zone.Comment !== comment,
    add: zone.networks.filter((one) => !has(now, one)),
    remove: zone.PrivateZone ? now.filter((one) => !has(zone.networks, one)) : [],
  }
}

/** Return the steps of a state about a zone. */
export function zoneSteps(ctx: StateContext, zone: Zone, login: AwsLogin): Omit<Steps<Gap>, 'name'> {
  const { Name, PrivateZone, CallerReference, Comment, networks } = zone
  const what = `Route 53 ${PrivateZone ? 'private' : 'public'} hosted zone ${Name}`
  const find = async (): Promise<Dict | undefined> =>
    dictsIn(await ask(ctx, 'find_hosted_zone', login, { Name, PrivateZone }))[0]
  const create = async (): Promise<Dict | undefined> => {
    const given = { Name, PrivateZone, CallerReference, Comment: Comment ?? '', ...networks[0] }
    return dictsIn(await ask(ctx, 'create_hosted_zone', login, given))[0]
  }
  const setNetworks = async ({ add, remove }: Gap): Promise<boolean> => {
    let isDone = true
    for (const network of add)
      isDone = truthy(await ask(ctx, 'associate_vpc_with_hosted_zone', login, { Name, ...network })) && isDone
    for (const network of remove)
      isDone = truthy(await ask(ctx, 'disassociate_vpc_from_hosted_zone', login, { Name, ...network })) && isDone
    return isDone
  }
  return {
    look: async () => {
      const gap = gapOf(zone, await find())
      const isSettled = gap.present !== undefined && !gap.isCommentWrong && gap.add.length + gap.remove.length === 0
      return isSettled ? settled(`Hostd Zone ${Name} already in desired state`) : gap
    },
    foresee: ({ present, isCommentWrong }) => {
      if (present === undefined) return `${what} would be created.`
      return isCommentWrong ? `${what} comment would be updated.` : `${what} associated VPCs would be updated.`
    },
    act: async (gap) => {
      const lines: string[] = []
      const made = gap.present === undefined ? await create() : undefined
      if (gap.present === undefined && made === undefined) return failed(`Creation of ${what} failed`)
      if (made !== undefined) lines.push(`${what} successfully created`)
      if (gap.isCommentWrong) {
        if (!truthy(await ask(ctx, 'update_hosted_zone_comment', login, { Name, Comment, PrivateZone })))
          return failed(`Update of ${what} comment failed`)
        lines.push(`${what} comment successfully updated`)
      }
      if (gap.add.length + gap.remove.length > 0) {
        if (!(await setNetworks(gap))) return failed(`Update of ${what} associated VPCs failed`)
        lines.push(`${what} associated VPCs successfully updated`)
      }
      return changed(lines.join('  '), { old: gap.present ?? null, new: (await find()) ?? null })
    },
  }
}
