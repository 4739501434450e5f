// Multipath devices, through the program multipath.
import { splitLines } from '../../../data/mod.ts'
import { arg, changes, defineModule, outputOf, reads } from '../../../sdk/mod.ts'

export default defineModule({
  name: 'devmap',
  doc: 'Manage multipath devices.',
  functions: {
    multipath_list: reads({
      doc: 'Return the multipath devices and their paths.',
      run: async (ctx) => splitLines(await outputOf(ctx, 'multipath -l')),
    }),
    multipath_flush: changes({
      doc: 'Remove an unused multipath device.',
      example: 'devmap.multipath_flush mpath1',
      args: { device: arg.text('Device path') },
      run: async (ctx, { device }) => {
        if ((await ctx.host.stat(device)) === undefined) return `${device} does not exist`
        return splitLines(await outputOf(ctx, `multipath -f ${device}`))
      },
    }),
  },
})
