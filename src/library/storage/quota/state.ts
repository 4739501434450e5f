// State of quotas on file systems.
import { keyError, truthy } from '../../../data/mod.ts'
import { arg, defineState, reportOn, state } from '../../../sdk/mod.ts'

export default defineState({
  name: 'quota',
  doc: 'Manage quotas on file systems.',
  when: async ({ host }) => (await host.which('setquota')) !== undefined || 'quota module could not be loaded',
  functions: {
    mode: state({
      doc: 'Ensure that quotas of a type are on or off.',
      args: {
        name: arg.string('Mount point or device'),
        mode: arg.any('True for on; any other value means off'),
        quotatype: arg.text('user or group'),
      },
      run: async (ctx, { name, mode, quotatype }) => {
        const ret = reportOn(name)
        const wanted = mode === true ? 'on' : 'off'
        const entry = (await ctx.call('quota.get_mode', [name])).get(name)
        if (entry === undefined) throw keyError(name)
        const now = entry instanceof Map ? entry.get(quotatype) : undefined
        if (now === undefined) throw keyError(quotatype)
        if (now === wanted) return ret(true, `Quota for ${name} already set to ${wanted}`)
        if (ctx.test) return ret(null, `Quota for ${name} needs to be set to ${wanted}`)
        if (truthy(await ctx.call(`quota.${wanted}`, [name]))) {
          return ret(true, `Set quota for ${name} to ${wanted}`, { quota: name })
        }
        return ret(false, `Failed to set quota for ${name} to ${wanted}`)
      },
    }),
  },
})
