// Functions of `cp` for targets without minions, which differ from those on minions. Salt keeps files for a target twice: on the target, and
// beside the master. Here a target has one cache, on the side of the controller.
import { str, type Value } from '../../data/mod.ts'
import { moduleTable } from '../../loader/mod.ts'
import { arg, defineModule, type FunctionContext, type ModuleDeclaration, reads, ret } from '../../sdk/mod.ts'

/** Whether a source is a file of the target, by its path or by a URL. */
const isOfTarget = (source: string): boolean => /^file:/i.test(source) || !/^[a-z][\w+.-]*:/i.test(source)

/** Return `cp.get_url` without files of the target, which Salt refuses for a call of the operator. */
async function getUrl(): Promise<ModuleDeclaration['functions'][string]> {
  const usual = (await moduleTable['cp']![0]!.load()).default.functions['get_url']!
  const run = (ctx: FunctionContext, args: { path: string; saltenv: Value }): unknown => {
    if (!isOfTarget(args.path)) return usual.run(ctx, args as never)
    ctx.log('error', 'The file:// scheme is not supported via the salt-ssh cp wrapper')
    ctx.log('error', `Unable to fetch file ${args.path} from saltenv ${str(args.saltenv ?? 'base')}.`)
    return false
  }
  return { ...usual, run: run as never }
}

export const cpWrapper = async (): Promise<ModuleDeclaration> =>
  defineModule({
    name: 'cp',
    doc: 'Files for a target without a minion.',
    functions: {
      get_url: await getUrl(),
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
