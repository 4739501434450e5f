// Reads and changes the options of the master.
import { dirname, join, normalize } from 'node:path/posix'
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import { arg, defineWheel, dumpYaml, type MasterContext, masterFn, option } from '../../../sdk/mod.ts'

/** Return the folder of included configuration files, such as /etc/salt/master.d. */
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

/** Set an option in the main configuration file and in the running master. */
async function apply(ctx: MasterContext, key: string, value: Value): Promise<null> {
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
  doc: 'Read and change the options of the master.',
  functions: {
    values: masterFn({
      doc: 'Return all options of the master.',
      run: (ctx) => ctx.opts,
    }),
    apply: masterFn({
      doc: 'Set an option in the configuration file of the master and in the running master.',
      args: { key: arg.text('Name of the option'), value: arg.any('Value of any type') },
      run: (ctx, { key, value }) => apply(ctx, key, value),
    }),
    update_config: masterFn({
      doc: 'Write options to a file that the main configuration file includes.',
      args: {
        file_name: arg.text('File name without `.conf`'),
        yaml_contents: arg.any('Dict of options, or any value'),
      },
      run: (ctx, { file_name, yaml_contents }) => updateConfig(ctx, file_name, yaml_contents),
    }),
  },
})
