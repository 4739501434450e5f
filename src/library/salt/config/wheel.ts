// The master's own options.
import { dirname, join, normalize } from 'node:path/posix'
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import { arg, defineWheel, dumpYaml, type MasterContext, masterFn, option } from '../../../sdk/mod.ts'

/** Where files that the main one includes lie, such as /etc/salt/master.d. */
function includeFolder({ opts }: MasterContext): string {
  const main = option(opts, 'conf_file')
  return join(dirname(main), dirname(option(opts, 'default_include')))
}

async function updateConfig(ctx: MasterContext, file_name: string, yaml_contents: Value): Promise<string> {
  const folder = includeFolder(ctx)
  const name = `${file_name}.conf`
  const file = normalize(join(folder, name))
  if (dirname(file) !== normalize(folder)) return 'Invalid path'
  await ctx.host.makeDirectory(folder, { parents: true, mode: 0o755 })
  await ctx.host.write(file, await dumpYaml(yaml_contents, { default_flow_style: false }))
  return `Wrote ${name}`
}

/** The option is put into the main file, of which everything else stays; the running master heeds it from now on. */
async function apply(ctx: MasterContext, key: Value, value: Value): Promise<null> {
  const file = option(ctx.opts, 'conf_file')
  const known = (await ctx.host.stat(file))?.type === 'file'
  const text = known ? new TextDecoder().decode(await ctx.host.read(file)) : ''
  const parsed = text.trim() === '' ? null : await ctx.render({ text, renderer: 'yaml', saltenv: 'base' })
  const options: Dict = isDict(parsed) ? new Map(parsed) : new Map()
  await ctx.host.write(file, await dumpYaml(options.set(key, value), { default_flow_style: false }))
  ctx.opts.set(key, value)
  return null
}

export default defineWheel({
  name: 'config',
  doc: "Reads and changes the master's options.",
  functions: {
    values: masterFn({
      doc: "All of the master's options.",
      args: {},
      run: (ctx) => ctx.opts,
    }),
    apply: masterFn({
      doc: "Sets an option in the master's configuration file, and for the running master.",
      args: { key: arg.any('Its name'), value: arg.any('Its value') },
      run: (ctx, { key, value }) => apply(ctx, key, value),
    }),
    update_config: masterFn({
      doc: 'Writes options to a file of their own, which the main one includes.',
      args: { file_name: arg.text('Its name, without .conf'), yaml_contents: arg.any('The options') },
      run: (ctx, { file_name, yaml_contents }) => updateConfig(ctx, file_name, yaml_contents),
    }),
  },
})
