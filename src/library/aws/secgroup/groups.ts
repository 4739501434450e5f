// Security groups of EC2: their lookup, and their rules in Salt's form.
import { type Dict, failure, isDict, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { AwsCaller } from '../common/caller.ts'
import { EC2_PAGES, filtersOf } from '../common/ec2.ts'
import { unlessFault } from '../common/errors.ts'
import { type AwsLogin, loginOf } from '../common/login.ts'

export interface GroupPlace extends AwsLogin {
  name?: string | null
  group_id?: string | null
  vpc_id?: string | null
  vpc_name?: string | null
}

export const ec2Of = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'ec2', login)

/** Return the id of a network by its name; null if it does not exist. */
export async function networkId(ctx: FunctionContext, name: string, login: AwsLogin): Promise<string | null> {
  const answer = await ctx.call('boto_vpc.get_id', [], { name, ...loginOf(login) })
  const id = isDict(answer) ? (answer.get('id') ?? null) : null
  return truthy(id) ? str(id) : null
}

/** Return a group by its id, or by its name and network; undefined if it does not exist. */
export async function findGroup(ctx: FunctionContext, place: GroupPlace): Promise<AwsAnswer | undefined> {
  const { name, group_id, vpc_name } = place
  let { vpc_id } = place
  if (vpc_name && vpc_id) throw misuse("The params 'vpc_id' and 'vpc_name' are mutually exclusive.")
  const ec2 = ec2Of(ctx, place)
  if (vpc_name) {
    vpc_id = await networkId(ctx, vpc_name, place)
    if (vpc_id === null) return undefined
  }
  if (name) {
    const filters: [string, string][] = [['group-name', name]]
    if (vpc_id) filters.push(['vpc-id', vpc_id])
    const found = await describe(ec2, filtersOf(filters))
    const classic = vpc_id ? undefined : found.find((group) => group.text('vpcId') === null)
    if (classic !== undefined) return classic
    if (found.length > 1 && !vpc_id) throw failure('Security group belongs to more VPCs, specify the VPC ID!')
    return found.length === 1 ? found[0] : undefined
  }
  if (!group_id) return undefined
  const found = await unlessFault(describe(ec2, { GroupId: [group_id] }), () => [])
  return found.length === 1 ? found[0] : undefined
}

export const describe = (ec2: AwsCaller, parameters: Parameters<AwsCaller['rows']>[1]): Promise<AwsAnswer[]> =>
  ec2.rows('DescribeSecurityGroups', parameters, 'securityGroupInfo', EC2_PAGES)

/** Return the rules at a path of a group: protocol, ports, and the permitted sources or destinations. */
export function rulesOf(group: AwsAnswer, path: string): Dict[] {
  return group.rows(path).map((rule) => {
    const ports: Dict = new Map()
    const protocol = rule.text('ipProtocol')
    if (protocol) ports.set('ip_protocol', protocol)
    for (const [field, name] of [
      ['fromPort', 'from_port'],
      ['toPort', 'to_port'],
    ] as const) {
      const port = rule.number(field)
      if (port !== null) ports.set(name, port)
    }
    const groups = rule.rows('groups').map((source) => {
      const fields = [
        ['source_group_name', source.text('groupName')],
        ['source_group_owner_id', source.text('userId')],
        ['source_group_group_id', source.text('groupId')],
      ] as const
      return new Map<Value, Value>(fields.filter(([, value]) => value !== null))
    })
    const ranges = rule.rows('ipRanges').map((range) => new Map<Value, Value>([['cidr_ip', range.text('cidrIp')]]))
    const grants = [...groups, ...ranges]
    return grants.length > 0 ? ports.set('grants', grants) : ports
  })
}

/** Return one rule for each grant. */
export function splitRules(rules: readonly Dict[]): Dict[] {
  return rules.flatMap((rule) =>
    ((rule.get('grants') ?? []) as Dict[]).map(
      (grant) =>
        new Map<Value, Value>([
          ['ip_protocol', rule.get('ip_protocol') ?? null],
          ['to_port', rule.get('to_port') ?? null],
          ['from_port', rule.get('from_port') ?? null],
          ...grant,
        ]),
    ),
  )
}

export const INGRESS = 'ipPermissions'
export const EGRESS = 'ipPermissionsEgress'
