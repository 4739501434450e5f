// Security groups of EC2 as states.
import { type Dict, isDict, isList, misuse, pformat, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { LOGIN, loginOf } from '../common/login.ts'
import { compareTags, oldNew, type Part, Parts } from '../common/part.ts'
import { compareRules, type RuleChanges, singleRules } from './rules.ts'

const PLACE = {
  name: arg.text('Name of the group'),
  vpc_id: arg.text('Id of the network that the group is in', { optional: true }),
  vpc_name: arg.text('Name of the network, in place of its id', { optional: true }),
  ...LOGIN,
}

type Place = Bound<typeof PLACE>

const placeOf = ({ name, vpc_id, vpc_name, ...login }: Place): Record<string, Value> => ({
  name,
  vpc_id,
  vpc_name,
  ...loginOf(login),
})

async function configOf(ctx: StateContext, place: Place): Promise<Dict | undefined> {
  const found: Value = await ctx.call('boto_secgroup.get_config', [], placeOf(place))
  return isDict(found) ? found : undefined
}

async function ensureGroup(ctx: StateContext, place: Place, description: string): Promise<Part> {
  const { name } = place
  if (truthy(await ctx.call('boto_secgroup.exists', [], placeOf(place)))) {
    return { result: true, comment: `Security group ${name} present.` }
  }
  if (ctx.test) return { result: null, comment: `Security group ${name} is set to be created.` }
  const isMade = await ctx.call('boto_secgroup.create', [], { ...placeOf(place), description })
  if (!truthy(isMade as Value)) return { result: false, comment: `Failed to create ${name} security group.` }
  const group = (await configOf(ctx, place)) ?? null
  return {
    result: true,
    comment: `Security group ${name} created.`,
    changes: oldNew(new Map([['secgroup', null]]), new Map([['secgroup', group]])),
  }
}

/** Return the rules with ids in the place of the names of groups, where the group is in a network. */
async function withGroupIds(ctx: StateContext, place: Place, rules: readonly Dict[]): Promise<Dict[]> {
  if (!place.vpc_id && !place.vpc_name) return [...rules]
  return Promise.all(
    rules.map(async (rule) => {
      const source = rule.get('source_group_name') ?? null
      if (!truthy(source)) return rule
      const other = rule.get('source_group_name_vpc') ?? null
      const network = truthy(other) ? { vpc_id: null, vpc_name: str(other) } : {}
      const id = await ctx.call('boto_secgroup.get_group_id', [], { ...placeOf(place), ...network, name: str(source) })
      if (!truthy(id as Value))
        throw misuse(`source_group_name ${str(source)} does not map to a valid source group id.`)
      const resolved: Dict = new Map(rule).set('source_group_group_id', id as Value)
      resolved.delete('source_group_name')
      resolved.delete('source_group_name_vpc')
      return resolved
    }),
  )
}

interface RulesRequest {
  rules: readonly Dict[]
  /** Whether surplus rules are removed. */
  isExact: boolean
  isEgress: boolean
}

async function ensureRules(ctx: StateContext, place: Place, { rules, isExact, isEgress }: RulesRequest): Promise<Part> {
  const { name } = place
  const field = isEgress ? 'rules_egress' : 'rules'
  const group = await configOf(ctx, place)
  if (group === undefined) {
    return { result: false, comment: `${name} security group configuration could not be retrieved.` }
  }
  const present = (group.get(field) ?? []) as Dict[]
  const differences = compareRules(await withGroupIds(ctx, place, singleRules(rules)), present)
  const { add } = differences
  const remove = isExact ? differences.remove : []
  if (add.length + remove.length === 0) return { result: true, comment: '' }
  if (ctx.test) {
    const [created, deleted] = [pformat(add), pformat(remove)]
    const comment = `Security group ${name} set to have rules modified.\n            To be created: ${created}\n            To be deleted: ${deleted}`
    return { result: null, comment }
  }
  const done = await changeRules(ctx, place, { add, remove }, isEgress)
  const now = (await configOf(ctx, place))?.get(field) ?? null
  return { ...done, changes: oldNew(new Map([[field, present]]), new Map([[field, now]])) }
}

async function changeRules(
  ctx: StateContext,
  place: Place,
  { add, remove }: RuleChanges,
  isEgress: boolean,
): Promise<Part> {
  const { name } = place
  let result = true
  const comments: string[] = []
  const each = async (rules: Dict[], fun: 'authorize' | 'revoke', done: string, undone: string): Promise<void> => {
    if (rules.length === 0) return
    let isDone = true
    for (const rule of rules) {
      const keywords = { ...Object.fromEntries([...rule].map(([key, value]) => [str(key), value])), ...placeOf(place) }
      isDone =
        truthy((await ctx.call(`boto_secgroup.${fun}`, [], { ...keywords, egress: isEgress })) as Value) && isDone
    }
    result &&= isDone
    comments.push(`${isDone ? done : undone} on ${name} security group.`)
  }
  const [one, many] = isEgress ? ['egress rule', 'egress rules'] : ['rules', 'rules']
  await each(remove, 'revoke', `Removed ${one}`, `Failed to remove ${one}`)
  await each(add, 'authorize', `Created ${many}`, `Failed to create ${many}`)
  return { result, comment: comments.join(' ') }
}

async function ensureTags(ctx: StateContext, place: Place, tags: Dict): Promise<Part> {
  const group = await configOf(ctx, place)
  if (group === undefined) {
    return { result: false, comment: `${place.name} security group configuration could not be retrieved.` }
  }
  const gap = compareTags(tags, (group.get('tags') ?? new Map()) as Dict)
  if (gap === undefined) return { result: true, comment: ' Tags are already set.' }
  if (ctx.test) return { result: null, comment: gap.comment }
  if (gap.remove.length > 0) await ctx.call('boto_secgroup.delete_tags', [gap.remove], placeOf(place))
  if (gap.set.size > 0) await ctx.call('boto_secgroup.set_tags', [gap.set], placeOf(place))
  return { result: true, comment: '', changes: gap.changes }
}

const rulesArg = (what: string) =>
  arg.list(`Dicts of rules for ${what}; not looked at unless given, and an empty list removes all`, { optional: true })

function dictsIn(rules: readonly Value[], field: string): Dict[] {
  return rules.map((rule) => {
    if (isDict(rule)) return rule
    throw misuse(`Each entry of ${field} must be a dict`)
  })
}

/** Return tags that are a dict, or the list of dicts that Salt's documents show. */
function tagsIn(tags: Value): Dict {
  if (isDict(tags)) return tags
  if (isList(tags) && tags.every(isDict)) return new Map(tags.flatMap((tag) => [...(tag as Dict)]))
  throw misuse('Tags must be a dict of tagname:tagvalue')
}

export default defineState({
  name: 'boto_secgroup',
  doc: 'Manage security groups of EC2.',
  functions: {
    present: state({
      doc: 'Ensure that a security group exists, with the given rules and tags.',
      args: {
        name: PLACE.name,
        description: arg.text('What the group is for'),
        vpc_id: PLACE.vpc_id,
        vpc_name: PLACE.vpc_name,
        rules: rulesArg('traffic that comes in'),
        rules_egress: rulesArg('traffic that leaves'),
        delete_ingress_rules: arg.flag('Whether surplus rules for traffic that comes in are removed', {
          default: true,
        }),
        delete_egress_rules: arg.flag('Whether surplus rules for traffic that leaves are removed', { default: true }),
        ...LOGIN,
        tags: arg.any('Dict of tags', { optional: true }),
      },
      run: async (
        ctx,
        { description, rules, rules_egress, delete_ingress_rules, delete_egress_rules, tags, ...place },
      ) => {
        const parts = new Parts()
        if (!parts.add(await ensureGroup(ctx, place, description))) return parts.report(place.name)
        if (rules !== null) {
          const request = { rules: dictsIn(rules, 'rules'), isExact: delete_ingress_rules, isEgress: false }
          parts.add(await ensureRules(ctx, place, request))
        }
        if (rules_egress !== null) {
          const request = { rules: dictsIn(rules_egress, 'rules_egress'), isExact: delete_egress_rules, isEgress: true }
          parts.add(await ensureRules(ctx, place, request))
        }
        if (truthy(tags)) parts.add(await ensureTags(ctx, place, tagsIn(tags)))
        else parts.add({ result: true, comment: '' })
        return parts.report(place.name)
      },
    }),
    absent: state({
      doc: 'Ensure that a security group does not exist.',
      args: PLACE,
      run: (ctx, place) =>
        ensure(ctx, {
          name: place.name,
          look: async () => (await configOf(ctx, place)) ?? settled(`${place.name} security group does not exist.`),
          foresee: () => `Security group ${place.name} is set to be removed.`,
          act: async (group) =>
            truthy(await ctx.call('boto_secgroup.delete', [], placeOf(place)))
              ? changed(`Security group ${place.name} deleted.`, { old: { secgroup: group }, new: { secgroup: null } })
              : failed(`Failed to delete ${place.name} security group.`),
        }),
    }),
  },
})
