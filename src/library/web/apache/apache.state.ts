// Configuration files of Apache, written from data.
import { str } from '../../../data/mod.ts'
import { arg, defineState, isHostError, state } from '../../../sdk/mod.ts'

export default defineState({
  name: 'apache',
  doc: 'Manage configuration files of Apache.',
  when: async ({ host }) =>
    (await host.which('apache2ctl')) !== undefined ||
    (await host.which('apachectl')) !== undefined ||
    'apache module could not be loaded',
  functions: {
    configfile: state({
      doc: 'Ensure that a file has the given configuration.',
      args: { name: arg.string('Path of the file'), config: arg.list('List of directives and sections') },
      run: async (ctx, { name, config }) => {
        const wanted = str(await ctx.call('apache.config', [name, config], { edit: false }))
        const there = (await ctx.host.stat(name)) !== undefined
        const current = there ? new TextDecoder().decode(await ctx.host.read(name)) : ''
        const changes = { old: current, new: wanted }
        if (wanted.trim() === current.trim()) {
          return { name, changes: {}, result: true, comment: 'Configuration is up to date.' }
        }
        if (ctx.test) return { name, changes, result: null, comment: 'Configuration will update.' }
        try {
          await ctx.host.write(name, `${wanted}\n`)
        } catch (error) {
          if (!isHostError(error)) throw error
          ctx.log('error', error.message)
          return { name, changes: {}, result: false, comment: 'Failed to create apache configuration.' }
        }
        return { name, changes, result: true, comment: 'Successfully created configuration.' }
      },
    }),
  },
})
