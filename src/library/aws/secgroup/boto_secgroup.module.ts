// Security groups of EC2 by Salt's names.
import { type Dict, failure, isDict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, option, reads, ret } from '../../../sdk/mod.ts'
import { filtersOf, tagsOf } from '../common/ec2.ts'
import { isFault, unlessFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import { LOGIN } from '../common/login.ts'
import {
  describe,
  EGRESS,
  ec2Of,
  findGroup,
  type GroupPlace,
  INGRESS,
  networkId,
  rulesOf,
  splitRules,
} from './groups.ts'

const NAME = arg.text('Name of the group', { optional: true })
const GROUP_ID = arg.text('Id of the group, in place of its name', { optional: true })
const NETWORK = {
  vpc_id: arg.text('Id of the network that the group is in', { optional: true }),
  vpc_name: arg.text('Name of the network, in place of its id', { optional: true }),
}

const RULE = {
  name: NAME,
  source_group_name: arg.text('Name of the group whose machines may connect', { optional: true }),
  source_group_owner_id: arg.text('Account of that group', { optional: true }),
  ip_protocol: arg.text('`tcp`, `udp`, `icmp`, a number, or `-1` for all', { optional: true }),
  from_port: arg.textOrNumber('First port', { optional: true }),
  to_port: arg.textOrNumber('Last port', { optional: true }),
  cidr_ip: arg.textOrList('Range of addresses, or a list of them', { optional: true }),
  group_id: GROUP_ID,
  source_group_group_id: arg.text('Id of the group whose machines may connect', { optional: true }),
  ...LOGIN,
  ...NETWORK,
  egress: arg.flag('Whether the rule is about traffic that leaves', { default: false }),
}

const TAGGED = { name: NAME, group_id: GROUP_ID, vpc_name: NETWORK.vpc_name, vpc_id: NETWORK.vpc_id, ...LOGIN }

type Rule = Bound<typeof RULE>

function permission(rule: Rule): Parameters {
  const { cidr_ip, source_group_name, source_group_group_id, source_group_owner_id } = rule
  const ranges = cidr_ip === null ? [] : isList(cidr_ip) ? cidr_ip.map(str) : [cidr_ip]
  const hasGroup = source_group_name || source_group_group_id
  const group = {
    GroupId: source_group_group_id || null,
    GroupName: rule.egress || source_group_group_id ? null : source_group_name || null,
    UserId: source_group_owner_id || null,
  }
  return {
    IpProtocol: rule.ip_protocol,
    FromPort: rule.from_port === null ? null : str(rule.from_port),
    ToPort: rule.to_port === null ? null : str(rule.to_port),
    IpRanges: ranges.map((range) => ({ CidrIp: range })),
    ...(hasGroup && { Groups: [group] }),
  }
}

/** Add or remove a rule; false, with a line in the log, where that fails. */
async function changeRule(ctx: FunctionContext, rule: Rule, verb: 'Authorize' | 'Revoke'): Promise<boolean> {
  const group = await findGroup(ctx, rule)
  const failed =
    verb === 'Authorize' ? 'Failed to add rule to security group' : 'Failed to remove rule from security group'
  if (group === undefined) {
    ctx.log('error', `${failed}.`)
    return false
  }
  const action = `${verb}SecurityGroup${rule.egress ? 'Egress' : 'Ingress'}`
  try {
    await ec2Of(ctx, rule).query(action, { GroupId: group.text('groupId'), IpPermissions: [permission(rule)] })
    return true
  } catch (error) {
    if (!isFault(error)) throw error
    if (verb === 'Authorize' && isFault(error, 'InvalidPermission.Duplicate')) return true
    ctx.log('error', `${failed} ${group.text('groupName')} with id ${group.text('groupId')}: ${error.message}`)
    return false
  }
}

/** Return the id of a group that is to be tagged. */
async function taggedId(ctx: FunctionContext, place: GroupPlace): Promise<string | null> {
  const group = await findGroup(ctx, place)
  if (group === undefined) throw misuse('The security group could not be found')
  return group.text('groupId')
}

async function groupId(ctx: FunctionContext, name: string, place: GroupPlace): Promise<string | null> {
  if (name.startsWith('sg-')) return name
  return (await findGroup(ctx, { ...place, name }))?.text('groupId') ?? null
}

export default defineModule({
  name: 'boto_secgroup',
  doc: 'Manage security groups of EC2.',
  functions: {
    exists: reads({
      doc: 'Return whether a security group exists.',
      example: 'boto_secgroup.exists web',
      args: { name: NAME, ...LOGIN, ...NETWORK, group_id: GROUP_ID },
      returns: ret.boolean('Whether the group exists'),
      run: async (ctx, place) => (await findGroup(ctx, place)) !== undefined,
    }),
    get_all_security_groups: reads({
      doc: 'Return all security groups that match.',
      example: "boto_secgroup.get_all_security_groups filters='{group-name: web}'",
      args: {
        groupnames: arg.textOrList('Names of groups', { optional: true }),
        group_ids: arg.textOrList('Ids of groups', { optional: true }),
        filters: arg.dict('Filters of DescribeSecurityGroups: values by name', { optional: true }),
        ...LOGIN,
      },
      returns: ret.dicts('The groups with their rules and tags'),
      run: async (ctx, { groupnames, group_ids, filters, ...login }) => {
        const ec2 = ec2Of(ctx, login)
        const listed = (value: string | Value[] | null) => (value === null ? null : [value].flat().map(str))
        const parameters = {
          GroupName: listed(groupnames),
          GroupId: listed(group_ids),
          ...filtersOf(filters ?? new Map()),
        }
        const groups = await unlessFault(describe(ec2, parameters), () => [])
        const instances = async (id: string | null): Promise<Value[]> => {
          const found = await ec2.query('DescribeInstances', filtersOf([['instance.group-id', id]]))
          return found
            .rows('reservationSet')
            .flatMap((one) => one.rows('instancesSet').map((row) => row.text('instanceId')))
        }
        return Promise.all(
          groups.map(async (group) => ({
            description: group.text('groupDescription'),
            id: group.text('groupId'),
            instances: await instances(group.text('groupId')),
            name: group.text('groupName'),
            owner_id: group.text('ownerId'),
            region: ec2.region,
            rules: rulesOf(group, INGRESS),
            rules_egress: rulesOf(group, EGRESS),
            tags: group.pairs('tagSet'),
            vpc_id: group.text('vpcId'),
          })),
        )
      },
    }),
    get_group_id: reads({
      doc: 'Return the id of a security group. A name that begins with `sg-` is an id already.',
      example: 'boto_secgroup.get_group_id web',
      args: { name: arg.text('Name of the group'), ...NETWORK, ...LOGIN },
      returns: ret.optional(ret.string('The id')),
      run: (ctx, { name, ...place }) => groupId(ctx, name, place),
    }),
    convert_to_group_ids: reads({
      doc: 'Return the ids of security groups. Fail when one does not exist; in a dry run, return an empty list then.',
      example: "boto_secgroup.convert_to_group_ids '[web]' vpc-89yhh7h",
      args: { groups: arg.words('Names or ids of groups'), ...NETWORK, ...LOGIN },
      returns: ret.texts('The ids'),
      run: async (ctx, { groups, ...place }) => {
        const ids: string[] = []
        for (const group of groups) {
          const id = await groupId(ctx, group, place)
          if (id === null && truthy(option(ctx.opts, 'test'))) return []
          if (id === null) throw failure(`Could not resolve Security Group name ${group} to a Group ID`)
          ids.push(id)
        }
        return ids
      },
    }),
    get_config: reads({
      doc: 'Return a security group with its rules, one for each grant.',
      example: 'boto_secgroup.get_config web',
      args: { name: NAME, group_id: GROUP_ID, ...LOGIN, ...NETWORK },
      returns: ret.optional(ret.dict('The group')),
      run: async (ctx, place) => {
        const group = await findGroup(ctx, place)
        return (
          group && {
            name: group.text('groupName'),
            group_id: group.text('groupId'),
            owner_id: group.text('ownerId'),
            description: group.text('groupDescription'),
            tags: group.pairs('tagSet'),
            rules: splitRules(rulesOf(group, INGRESS)),
            rules_egress: splitRules(rulesOf(group, EGRESS)),
          }
        )
      },
    }),
    create: changes({
      doc: 'Create a security group.',
      example: "boto_secgroup.create web 'Web servers'",
      args: { name: arg.text('Name of the group'), description: arg.text('What it is for'), ...NETWORK, ...LOGIN },
      returns: ret.boolean('Whether the group was created'),
      run: async (ctx, { name, description, vpc_id, vpc_name, ...login }) => {
        const network = vpc_id || (vpc_name ? await networkId(ctx, vpc_name, login) : null)
        if (vpc_name && network === null) throw failure(`The VPC ${vpc_name} of security group ${name} does not exist`)
        const parameters = { GroupName: name, GroupDescription: description, VpcId: network }
        return (await ec2Of(ctx, login).query('CreateSecurityGroup', parameters)).text('groupId') !== null
      },
    }),
    delete: changes({
      doc: 'Delete a security group.',
      example: 'boto_secgroup.delete web',
      args: { name: NAME, group_id: GROUP_ID, ...LOGIN, ...NETWORK },
      returns: ret.boolean('Whether the group was deleted'),
      run: async (ctx, place) => {
        const group = await findGroup(ctx, place)
        if (group === undefined) return false
        await ec2Of(ctx, place).query('DeleteSecurityGroup', { GroupId: group.text('groupId') })
        return true
      },
    }),
    authorize: changes({
      doc: 'Add a rule to a security group. A rule that is there already counts as added.',
      example: "boto_secgroup.authorize web ip_protocol=tcp from_port=80 to_port=80 cidr_ip='10.0.0.0/8'",
      args: RULE,
      returns: ret.boolean('Whether the rule is there'),
      run: (ctx, rule) => changeRule(ctx, rule, 'Authorize'),
    }),
    revoke: changes({
      doc: 'Remove a rule from a security group.',
      example: "boto_secgroup.revoke web ip_protocol=tcp from_port=80 to_port=80 cidr_ip='10.0.0.0/8'",
      args: RULE,
      returns: ret.boolean('Whether the rule was removed'),
      run: (ctx, rule) => changeRule(ctx, rule, 'Revoke'),
    }),
    set_tags: changes({
      doc: 'Set tags of a security group.',
      example: "boto_secgroup.set_tags '{team: web}' web",
      args: { tags: arg.any('Dict of tags'), ...TAGGED },
      returns: ret.boolean('True'),
      run: async (ctx, { tags, ...place }) => {
        const id = await taggedId(ctx, place)
        if (!isDict(tags)) throw misuse('Tags must be a dict of tagname:tagvalue')
        await ec2Of(ctx, place).query('CreateTags', { ResourceId: [id], Tag: tagsOf(tags as Dict) })
        return true
      },
    }),
    delete_tags: changes({
      doc: 'Remove tags from a security group.',
      example: "boto_secgroup.delete_tags '[team]' web",
      args: { tags: arg.any('List of the names of tags'), ...TAGGED },
      returns: ret.boolean('True'),
      run: async (ctx, { tags, ...place }) => {
        const id = await taggedId(ctx, place)
        if (!isList(tags)) throw misuse('Tags must be a list of tagnames to remove from the security group')
        await ec2Of(ctx, place).query('DeleteTags', { ResourceId: [id], Tag: tags.map((tag) => ({ Key: str(tag) })) })
        return true
      },
    }),
  },
})
