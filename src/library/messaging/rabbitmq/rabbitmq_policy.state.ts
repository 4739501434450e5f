// Policies of RabbitMQ.
import { type Dict, equals, isDict, loadJson, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { report, runas, whenRabbit } from './state/report.ts'

const parsed = (definition: Value): Value =>
  truthy(definition) ? (typeof definition === 'string' ? loadJson(definition) : definition) : ''

const name = arg.text('Name of the policy')
const vhost = arg.text('Name of the virtual host', { default: '/' })
const policyArgs = {
  name,
  pattern: arg.text('Regular expression of the names of the objects'),
  definition: arg.any('Definition: JSON or a dict'),
  priority: arg.any('Priority; compared as a number', { default: 0 }),
  vhost,
  runas,
  apply_to: arg.text('Type of the objects: queues, exchanges or all', { optional: true }),
}

type Policy = Bound<typeof policyArgs>

function differences(policy: Dict, { pattern, definition, apply_to, priority }: Policy): string[] {
  const updates: string[] = []
  if (policy.get('pattern') !== pattern) updates.push('Pattern')
  if (!equals(parsed(policy.get('definition') ?? null), parsed(definition))) updates.push('Definition')
  if (apply_to && policy.get('apply_to') !== apply_to) updates.push('Applyto')
  if (!equals(Number(policy.get('priority')), priority)) updates.push('Priority')
  return updates
}

async function present(ctx: StateContext, given: Policy): Promise<StateReturn> {
  const { name, pattern, definition, priority, vhost, runas, apply_to } = given
  const policies = (await ctx.call('rabbitmq.list_policies', [], { vhost, runas })).get(vhost) ?? null
  const policy = isDict(policies) ? (policies.get(name) ?? null) : null
  const updates = isDict(policy) ? differences(policy, given) : []
  if (policy && updates.length === 0) return report(name, true, `Policy ${vhost} ${name} is already present`)
  const changes = policy ? { old: policy, new: updates } : { old: {}, new: name }
  if (ctx.test) {
    return report(name, null, `Policy ${vhost} ${name} is set to be ${policy ? 'updated' : 'created'}`, changes)
  }
  const words = [vhost, name, pattern, definition]
  const answer = await ctx.call('rabbitmq.set_policy', words, { priority, runas, apply_to })
  return report(name, true, str(answer.get('Set') ?? ''), changes)
}

async function absent(ctx: StateContext, name: string, vhost: string, runas: string | null): Promise<StateReturn> {
  const subject = `Policy '${vhost} ${name}'`
  if (!truthy(await ctx.call('rabbitmq.policy_exists', [vhost, name], { runas }))) {
    return report(name, true, `${subject} is not present.`)
  }
  const changes = { new: '', old: name }
  if (ctx.test) return report(name, null, `${subject} will be removed.`, changes)
  await ctx.call('rabbitmq.delete_policy', [vhost, name], { runas })
  return report(name, true, 'Deleted', changes)
}

export default defineState({
  name: 'rabbitmq_policy',
  doc: 'Manage policies of RabbitMQ.',
  when: whenRabbit,
  functions: {
    present: state({
      doc: 'Ensure that a policy exists.',
      args: policyArgs,
      run: present,
    }),
    absent: state({
      doc: 'Ensure that a policy does not exist.',
      args: { name, vhost, runas },
      run: (ctx, { name, vhost, runas }) => absent(ctx, name, vhost, runas),
    }),
  },
})
