// Policies of RabbitMQ.
import { type Dict, equals, loadJson, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { type Given, report, runas, whenRabbit } from './state/report.ts'

const parsed = (definition: Value): Value =>
  truthy(definition) ? (typeof definition === 'string' ? loadJson(definition) : definition) : ''

function differences(policy: Dict, given: Given): string[] {
  const { pattern = null, definition = null, apply_to = null, priority = null } = given
  const updates: string[] = []
  if (policy.get('pattern') !== pattern) updates.push('Pattern')
  if (!equals(parsed(policy.get('definition') ?? null), parsed(definition))) updates.push('Definition')
  if (truthy(apply_to) && policy.get('apply_to') !== apply_to) updates.push('Applyto')
  if (!equals(Number(policy.get('priority')), priority)) updates.push('Priority')
  return updates
}

async function present(ctx: StateContext, given: Given): Promise<StateReturn> {
  const { pattern = null, definition = null, priority = null, vhost = null, runas = null, apply_to = null } = given
  const name = str(given['name']!)
  const policies = await ctx.call('rabbitmq.list_policies', [], { vhost, runas })
  const policy = (policies.get(vhost) as Dict | undefined)?.get(name) as Dict | undefined
  const updates = policy ? differences(policy, given) : []
  if (policy && updates.length === 0) return report(name, true, `Policy ${str(vhost)} ${name} is already present`)
  const changes = policy ? { old: policy, new: updates } : { old: {}, new: name }
  if (ctx.test) {
    return report(name, null, `Policy ${str(vhost)} ${name} is set to be ${policy ? 'updated' : 'created'}`, changes)
  }
  const words = [vhost, name, pattern, definition]
  const answer = await ctx.call('rabbitmq.set_policy', words, { priority, runas, apply_to })
  return report(name, true, str(answer.get('Set') ?? ''), changes)
}

async function absent(ctx: StateContext, name: string, vhost: Value, runas: Value): Promise<StateReturn> {
  const subject = `Policy '${str(vhost)} ${name}'`
  if (!truthy(await ctx.call('rabbitmq.policy_exists', [vhost, name], { runas }))) {
    return report(name, true, `${subject} is not present.`)
  }
  const changes = { new: '', old: name }
  if (ctx.test) return report(name, null, `${subject} will be removed.`, changes)
  await ctx.call('rabbitmq.delete_policy', [vhost, name], { runas })
  return report(name, true, 'Deleted', changes)
}

const name = arg.text('The name of the policy')
const vhost = arg.any('The virtual host', { default: '/' })

export default defineState({
  name: 'rabbitmq_policy',
  doc: 'Keep policies of RabbitMQ.',
  when: whenRabbit,
  functions: {
    present: state({
      doc: 'A policy is there.',
      args: {
        name,
        pattern: arg.any('Which objects it is for, as a regular expression'),
        definition: arg.any('What it says, as JSON'),
        priority: arg.any('Its priority', { default: 0 }),
        vhost,
        runas,
        apply_to: arg.any('queues, exchanges or all', { optional: true }),
      },
      run: (ctx, given) => present(ctx, given),
    }),
    absent: state({
      doc: 'A policy is not there.',
      args: { name, vhost, runas },
      run: (ctx, { name, vhost, runas }) => absent(ctx, name, vhost, runas),
    }),
  },
})
