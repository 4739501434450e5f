// Roles of IAM as states, each with an instance profile of its name.
import { type Dict, isDict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, state } from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { type Deed, fieldChange, type Part, Parts, perform as performDeed } from '../common/part.ts'
import { unordered } from '../common/unordered.ts'
import { ask, inlinePolicies, managedPolicies, noPolicies, type Owner, wantedPolicies } from './state-parts.ts'

const NAME = arg.text('Name of the role')

interface Call extends Omit<Deed, 'act'> {
  fun: string
  given: Record<string, Value>
}

const perform = (ctx: StateContext, login: AwsLogin, { fun, given, ...deed }: Call): Promise<Part> =>
  performDeed(ctx, { ...deed, act: () => ask(ctx, fun, login, given) })

/** Return the trust policy of a role: the statements of pillar, then those of the state. */
async function trustOf(ctx: StateContext, given: Dict | null, pillar: string | null): Promise<Dict> {
  const trust: Dict = new Map()
  const found = pillar ? await ctx.call('pillar.get', [pillar, null]) : null
  for (const document of [found, given]) {
    if (!truthy(document)) continue
    const statements = isDict(document) ? (document.get('Statement') ?? null) : null
    if (!isDict(document) || !isList(statements)) throw misuse('A policy document needs Version and Statement, a list')
    trust.set('Version', document.get('Version') ?? null)
    trust.set('Statement', [...((trust.get('Statement') as Value[] | undefined) ?? []), ...statements])
  }
  return trust
}

async function rolePresent(ctx: StateContext, name: string, trust: Dict, path: string | null, login: AwsLogin) {
  const role = await ask(ctx, 'describe_role', login, { name })
  if (!isDict(role)) {
    return perform(ctx, login, {
      foreseen: `IAM role ${name} is set to be created.`,
      done: `IAM role ${name} created.`,
      failed: `Failed to create ${name} IAM role.`,
      fun: 'create_role',
      given: { name, policy_document: trust, path },
      changes: fieldChange('role', null, name),
    })
  }
  const wanted = trust.size > 0 ? trust : await ask(ctx, 'build_policy', login)
  const present = role.get('assume_role_policy_document') ?? null
  const begin = `${name} role present.`
  if (unordered(present) === unordered(wanted)) return { result: true, comment: begin }
  return perform(ctx, login, {
    foreseen: `${begin} Assume role policy document to be updated.`,
    done: `${begin} Assume role policy document updated.`,
    failed: `${begin} Failed to update assume role policy.`,
    fun: 'update_assume_role_policy',
    given: { role_name: name, policy_document: wanted },
    changes: fieldChange('policy_document', present, wanted),
  })
}

async function profilePresent(ctx: StateContext, name: string, login: AwsLogin): Promise<Part> {
  if (truthy(await ask(ctx, 'instance_profile_exists', login, { name }))) return { result: true, comment: '' }
  return perform(ctx, login, {
    foreseen: `Instance profile ${name} is set to be created.`,
    done: `Instance profile ${name} created.`,
    failed: `Failed to create ${name} instance profile.`,
    fun: 'create_instance_profile',
    given: { name },
    changes: fieldChange('instance_profile', null, name),
  })
}

async function profileAssociated(ctx: StateContext, name: string, login: AwsLogin): Promise<Part> {
  const both = { role_name: name, profile_name: name }
  if (truthy(await ask(ctx, 'profile_associated', login, both))) return { result: true, comment: '' }
  return perform(ctx, login, {
    foreseen: `Instance profile ${name} is set to be associated.`,
    done: `Instance profile ${name} associated.`,
    failed: `Failed to associate ${name} instance profile with ${name} role.`,
    fun: 'associate_profile_to_role',
    given: both,
    changes: fieldChange('profile_associated', null, true),
  })
}

async function profileAbsent(ctx: StateContext, name: string, login: AwsLogin): Promise<Part[]> {
  const parts: Part[] = []
  const both = { role_name: name, profile_name: name }
  if (truthy(await ask(ctx, 'profile_associated', login, both))) {
    const deed = {
      foreseen: `Instance profile ${name} is set to be disassociated.`,
      done: `Instance profile ${name} disassociated.`,
      failed: `Failed to disassociate ${name} instance profile from ${name} role.`,
      fun: 'disassociate_profile_from_role',
      given: both,
      changes: fieldChange('profile_associated', true, false),
    }
    parts.push(await perform(ctx, login, deed))
  }
  if (!truthy(await ask(ctx, 'instance_profile_exists', login, { name })))
    return [...parts, { result: true, comment: `${name} instance profile does not exist.` }]
  const deed = {
    foreseen: `Instance profile ${name} is set to be removed.`,
    done: `Instance profile ${name} removed.`,
    failed: `Failed to delete ${name} instance profile.`,
    fun: 'delete_instance_profile',
    given: { name },
    changes: fieldChange('instance_profile', name, null),
  }
  return [...parts, await perform(ctx, login, deed)]
}

async function roleAbsent(ctx: StateContext, name: string, login: AwsLogin): Promise<Part> {
  if (!truthy(await ask(ctx, 'role_exists', login, { name })))
    return { result: true, comment: `${name} role does not exist.` }
  return perform(ctx, login, {
    foreseen: `IAM role ${name} is set to be removed.`,
    done: `IAM role ${name} removed.`,
    failed: `Failed to delete ${name} iam role.`,
    fun: 'delete_role',
    given: { name },
    changes: fieldChange('role', name, null),
  })
}

export default defineState({
  name: 'boto_iam_role',
  doc: 'Manage roles of IAM.',
  functions: {
    present: state({
      doc: 'Ensure that a role exists, with an instance profile of the same name and the given policies.',
      args: {
        name: NAME,
        policy_document: arg.dict('Who may take it on; machines of EC2 unless given', { optional: true }),
        policy_document_from_pillars: arg.text('Pillar with more statements of that policy', { optional: true }),
        path: arg.text('Path', { optional: true }),
        policies: arg.dict('Policies within the role by name', { optional: true }),
        policies_from_pillars: arg.list('Pillars with more of them', { optional: true }),
        managed_policies: arg.words('Names or ARNs of managed policies', { optional: true }),
        create_instance_profile: arg.flag('Whether it has an instance profile', { default: true }),
        ...LOGIN,
        delete_policies: arg.flag('Whether other policies within the role are deleted', { default: true }),
      },
      run: async (ctx, given) => {
        const { name, path, region, key, keyid, profile } = given
        const login = { region, key, keyid, profile }
        const owner: Owner = { kind: 'role', name, login }
        const trust = await trustOf(ctx, given.policy_document, given.policy_document_from_pillars)
        const wanted = await wantedPolicies(ctx, given.policies, given.policies_from_pillars ?? [])
        const parts = new Parts()
        const steps: (() => Promise<Part>)[] = [() => rolePresent(ctx, name, trust, path, login)]
        if (given.create_instance_profile)
          steps.push(
            () => profilePresent(ctx, name, login),
            () => profileAssociated(ctx, name, login),
          )
        for (const step of steps) {
          const part = await step()
          parts.add(part)
          if (part.result === false) return parts.report(name)
        }
        parts.add(await inlinePolicies(ctx, owner, wanted, given.delete_policies))
        parts.add(await managedPolicies(ctx, owner, (given.managed_policies ?? []).map(str), true))
        return parts.report(name)
      },
    }),
    absent: state({
      doc: 'Ensure that a role does not exist, nor an instance profile of its name.',
      args: { name: NAME, ...LOGIN },
      run: async (ctx, { name, ...login }) => {
        const parts = new Parts()
        const steps = [
          () => noPolicies(ctx, { kind: 'role', name, login }),
          () => profileAbsent(ctx, name, login),
          async () => [await roleAbsent(ctx, name, login)],
        ]
        for (const step of steps) {
          const done = await step()
          for (const part of done) parts.add(part)
          if (done.some(({ result }) => result === false)) break
        }
        return parts.report(name)
      },
    }),
  },
})
