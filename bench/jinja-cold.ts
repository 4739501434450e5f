// One compile in a process that has just started, for the jinja bench: prints the CPU milliseconds of compiling the
// 1,000-line template and of compiling and rendering it once. Loading the modules is not counted.
import { environment, variables } from './jinja-engine.ts'
import { loopHeavySls, loopHosts } from './templates/loops.ts'

const source = loopHeavySls()
const context = variables({ hosts: loopHosts() })
const env = environment()

const started = process.cpuUsage()
const spent = (): number => {
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}
const template = env.fromString(source)
const compile = spent()
await env.renderTemplate(template, context)
process.stdout.write(JSON.stringify({ compile, render: spent() }))
