// `brine new KIND NAME`: the first text of a module of users' own, in TypeScript with types.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const USAGE = `Usage: brine new <module|state|runner> NAME [FOLDER]

Writes FOLDER/_modules/NAME.ts, FOLDER/_states/NAME.ts or FOLDER/_runners/NAME.ts; FOLDER is the current one unless given,
and mostly a root of the file server. saltutil.sync_all brings it to the minions.
`

interface Template {
  folder: string
  text(name: string): string
}

const TEMPLATES: Readonly<Record<string, Template>> = {
  module: {
    folder: '_modules',
    text: (name) => `import { arg, defineModule, fn } from 'brine/sdk'

export default defineModule({
  name: '${name}',
  doc: 'What this module is about.',
  functions: {
    greet: fn({
      doc: 'Greet somebody from this minion.',
      args: { name: arg.string('Whom to greet', { default: 'world' }) },
      examples: ["salt '*' ${name}.greet you"],
      effect: 'read',
      run: async (ctx, { name }) => \`hello \${name} from \${await ctx.call('config.get', ['id'])}\`,
    }),
  },
})
`,
  },
  state: {
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
  },
  runner: {
    folder: '_runners',
    text: (name) => `import { arg, defineRunner, masterFn } from 'brine/sdk'

export default defineRunner({
  name: '${name}',
  doc: 'What this runner is about.',
  functions: {
    who: masterFn({
      doc: 'Which minions a target means.',
      args: { target: arg.string('A glob', { default: '*' }) },
      examples: ['salt-run ${name}.who'],
      run: (ctx, { target }) => ctx.targets(target, 'glob').minions,
    }),
  },
})
`,
  },
}

export async function run([kind = '', name = '', folder = '.']: readonly string[]): Promise<number> {
  const template = Object.hasOwn(TEMPLATES, kind) ? TEMPLATES[kind] : undefined
  if (!template || !/^[a-z_]\w*$/.test(name)) {
    process.stderr.write(USAGE)
    return 64
  }
  const file = join(folder, template.folder, `${name}.ts`)
  if (existsSync(file)) {
    process.stderr.write(`${file} is there already\n`)
    return 1
  }
  mkdirSync(join(folder, template.folder), { recursive: true })
  writeFileSync(file, template.text(name))
  process.stdout.write(`${file}\n`)
  return 0
}
