// The initial text of a module of each kind, with all functions that its family requires.

export interface ModuleTemplate {
  folder: string
  text(name: string): string
}

/** A file that exports plain functions, with their context as `this`. */
const plain = (folder: string, body: string, types = 'PluginContext'): ModuleTemplate => ({
  folder,
  text: () => `import type { ${types} } from 'brine/sdk'\n\n${body}`,
})

const MODULE: ModuleTemplate = {
  folder: '_modules',
  text: (name) => `import { arg, defineModule, reads } from 'brine/sdk'

export default defineModule({
  name: '${name}',
  doc: 'What this module is about.',
  functions: {
    greet: reads({
      doc: 'Greet somebody from this minion.',
      args: { name: arg.string('Whom to greet', { default: 'world' }) },
      example: '${name}.greet you',
      run: async (ctx, { name }) => \`hello \${name} from \${await ctx.call('config.get', ['id'])}\`,
    }),
  },
})
`,
}

const STATE: ModuleTemplate = {
  folder: '_states',
  text: (name) => `import { arg, defineState, state } from 'brine/sdk'

export default defineState({
  name: '${name}',
  doc: 'What these states are about.',
  functions: {
    present: state({
      doc: 'Keep a line in a file.',
      args: { name: arg.string('The file'), line: arg.string('The line') },
      run: async (ctx, { name, line }) => {
        const found = await ctx.call('file.contains', [name, line])
        if (found) return { name, result: true, changes: {}, comment: 'The line is there' }
        if (ctx.test) return { name, result: null, changes: { new: line }, comment: 'The line would be added' }
        await ctx.call('file.append', [name, line])
        return { name, result: true, changes: { new: line }, comment: 'The line was added' }
      },
    }),
  },
})
`,
}

/** Return the template of a runner or wheel module; they differ in their commands. */
const masterTemplate = (folder: string, define: string, example: (name: string) => string): ModuleTemplate => ({
  folder,
  text: (name) => `import { arg, ${define}, masterFn } from 'brine/sdk'

export default ${define}({
  name: '${name}',
  doc: 'What these functions are about.',
  functions: {
    who: masterFn({
      doc: 'Which minions a target means.',
      args: { target: arg.string('A glob', { default: '*' }) },
      examples: ['${example(name)}'],
      run: (ctx, { target }) => ctx.targets(target, 'glob').minions,
    }),
  },
})
`,
})

const BEACON: ModuleTemplate = {
  folder: '_beacons',
  text: (name) => `import { defineBeacon } from 'brine/sdk'

export default defineBeacon({
  name: '${name}',
  doc: 'Tells when a file is there.',
  validate: (config) => (config.has('path') ? undefined : 'The path is missing.'),
  beacon: async (ctx, config) => {
    const path = String(config.get('path'))
    return (await ctx.host.stat(path)) ? [new Map([['path', path]])] : []
  },
})
`,
}

const ENGINE: ModuleTemplate = {
  folder: '_engines',
  text: (name) => `import { arg, defineEngine } from 'brine/sdk'

export default defineEngine({
  name: '${name}',
  doc: 'Tells of every job that ends.',
  args: { tag: arg.string('The tag it tells under', { default: 'mine/ended' }) },
  start: async (ctx, { tag }) => {
    const returns = ctx.events((seen) => /^salt\\/job\\/\\d+\\/ret\\//.test(seen))
    for await (const event of returns) await ctx.fire(tag, new Map([['job', event.tag]]))
  },
})
`,
}

const RETURNER: ModuleTemplate = {
  folder: '_returners',
  text: (name) => `import { defineReturner } from 'brine/sdk'

export default defineReturner({
  name: '${name}',
  doc: 'Writes returns into the log.',
  functions: {
    returner: (ctx, ret) => ctx.log('info', \`\${String(ret.get('fun'))} returned on \${String(ret.get('id'))}\`),
  },
})
`,
}

export const TEMPLATES: Readonly<Record<string, ModuleTemplate>> = {
  module: MODULE,
  state: STATE,
  runner: masterTemplate('_runners', 'defineRunner', (name) => `salt-run ${name}.who`),
  wheel: masterTemplate('_wheel', 'defineWheel', (name) => `salt-run salt.cmd ${name}.who`),
  beacon: BEACON,
  engine: ENGINE,
  returner: RETURNER,
  grains: plain(
    '_grains',
    `/** What is returned becomes grains; what is known so far is handed in. */
export function facts(this: PluginContext, grains: Dict) {
  return { site: String(grains.get('id')).split('-')[0] }
}
`,
    'Dict, PluginContext',
  ),
  pillar: plain(
    '_pillar',
    `/** What is returned is merged into the pillar; what \`ext_pillar\` configures comes behind the first two. */
export function ext_pillar(this: PluginContext, minion_id: string, pillar: Dict, ...settings: Value[]) {
  return { owner: { minion: minion_id, role: String(pillar.get('role')), settings } }
}
`,
    'Dict, PluginContext, Value',
  ),
  tops: plain(
    '_tops',
    `/** The SLS files for a minion, by environment; \`master_tops\` names this file. */
export function top(this: PluginContext, opts: Dict, grains: Dict) {
  return grains.get('os') === 'Debian' ? { base: [\`hosts.\${String(opts.get('id'))}\`] } : {}
}
`,
    'Dict, PluginContext',
  ),
  auth: plain(
    '_auth',
    `/** Whether the password is the user's; \`external_auth\` names this file. */
export function auth(this: PluginContext, username: string, password: string) {
  const known = this.opts.get('door.passwords')
  return known instanceof Map && known.get(username) === password
}
`,
  ),
  matcher: plain(
    '_matchers',
    `/** Whether this minion is meant: \`match: NAME\` in a top file, for a file that is called NAME_match. */
export function match(this: PluginContext, tgt: string) {
  return this.grains.get('os') === tgt
}
`,
  ),
  outputter: plain(
    '_output',
    `/** The text that \`--out=NAME\` shows. */
export function output(this: PluginContext, data: Value) {
  return data instanceof Map ? [...data.keys()].join('\\n') : String(data)
}
`,
    'PluginContext, Value',
  ),
  renderer: plain(
    '_renderers',
    `/** What a file means that begins with \`#!NAME\`. */
export function render(this: PluginContext, text: string) {
  const lines = text.split('\\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(lines.map((line) => line.split('=')))
}
`,
  ),
}
