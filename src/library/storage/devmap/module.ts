// Disks that are reached on several paths, through the program multipath.
import { splitLines } from '../../../data/mod.ts'
import { arg, changes, defineModule, outputOf, reads } from '../../../sdk/mod.ts'

export default defineModule({
  name: 'devmap',
  doc: 'Disks that are reached on several paths.',
  functions: {
    multipath_list: reads({
      doc: 'The disks and their paths.',
      example: 'devmap.multipath_list',
      args: {},
      run: async (ctx) => splitLines(await outputOf(ctx, 'multipath -l')),
    }),
    multipath_flush: changes({
      doc: 'Give up a disk that nothing uses.',
      example: 'devmap.multipath_flush mpath1',
      args: { device: arg.text('The device') },
      run: async (ctx, { device }) => {
        if ((await ctx.host.stat(device)) === undefined) return `${device} does not exist`
        return splitLines(await outputOf(ctx, `multipath -f ${device}`))
      },
    }),
  },
})
