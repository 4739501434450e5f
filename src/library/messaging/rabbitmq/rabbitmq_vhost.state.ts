// Virtual hosts of RabbitMQ.
import { str, truthy } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { report, whenRabbit } from './state/report.ts'

async function settle(ctx: StateContext, name: string, wanted: boolean): Promise<StateReturn> {
  const subject = `Virtual Host '${name}'`
  if (truthy(await ctx.call('rabbitmq.vhost_exists', [name])) === wanted) {
    return report(name, true, wanted ? `${subject} already exists.` : `${subject} is not present.`)
  }
  const changes = wanted ? { old: '', new: name } : { new: '', old: name }
  if (ctx.test) return report(name, null, `${subject} will be ${wanted ? 'created' : 'removed'}.`, changes)
  const answer = await ctx.call(wanted ? 'rabbitmq.add_vhost' : 'rabbitmq.delete_vhost', [name])
  return report(name, true, str(answer.get(wanted ? 'Added' : 'Deleted') ?? ''), changes)
}

const name = arg.text('Name of the virtual host')

export default defineState({
  name: 'rabbitmq_vhost',
  doc: 'Manage virtual hosts of RabbitMQ.',
  when: whenRabbit,
  functions: {
    present: state({
      doc: 'Ensure that a virtual host exists.',
      args: { name },
      run: (ctx, { name }) => settle(ctx, name, true),
    }),
    absent: state({
      doc: 'Ensure that a virtual host does not exist.',
      args: { name },
      run: (ctx, { name }) => settle(ctx, name, false),
    }),
  },
})
