// `cp.convert_cache_path` of targets without minions. Salt keeps files for a target twice: on the target, and beside the master. Here a
// target has one cache, on the side of the controller.
import { arg, defineModule, type ModuleDeclaration, reads, ret } from '../../sdk/mod.ts'

export const cpWrapper = (): ModuleDeclaration =>
  defineModule({
    name: 'cp',
    doc: 'Files for a target without a minion.',
    functions: {
      convert_cache_path: reads({
        doc: 'Return the path of a cached file on the controller. All functions know it by this path already.',
        args: {
          path: arg.string('Path in the cache'),
          cachedir: arg.text('Ignored', { optional: true }),
          master: arg.boolean('Ignored', { default: true }),
        },
        returns: ret.string('The same path'),
        example: 'cp.convert_cache_path /var/cache/salt/master/ssh/minions/web1/files/base/foo.txt',
        run: (_ctx, { path }) => path,
      }),
    },
  })
