// Plugins of RabbitMQ.
import { truthy } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { orError, report, runas, whenRabbit } from './state/report.ts'

async function settle(ctx: StateContext, name: string, runas: string | null, on: boolean): Promise<StateReturn> {
  const subject = `Plugin '${name}'`
  const done = on ? 'enabled' : 'disabled'
  if (truthy(await ctx.call('rabbitmq.plugin_is_enabled', [name], { runas })) === on) {
    return report(name, true, `${subject} is already ${done}.`)
  }
  const changes = on ? { old: '', new: name } : { old: name, new: '' }
  if (ctx.test) return report(name, null, `${subject} is set to be ${done}.`, changes)
  await ctx.call(on ? 'rabbitmq.enable_plugin' : 'rabbitmq.disable_plugin', [name], { runas })
  return report(name, true, `${subject} was ${done}.`, changes)
}

const args = { name: arg.text('Name of the plugin'), runas }

export default defineState({
  name: 'rabbitmq_plugin',
  doc: 'Enable and disable plugins of RabbitMQ.',
  when: whenRabbit,
  functions: {
    enabled: state({
      doc: 'Ensure that a plugin is enabled.',
      args,
      run: (ctx, { name, runas }) => orError(name, () => settle(ctx, name, runas, true)),
    }),
    disabled: state({
      doc: 'Ensure that a plugin is disabled.',
      args,
      run: (ctx, { name, runas }) => orError(name, () => settle(ctx, name, runas, false)),
    }),
  },
})
