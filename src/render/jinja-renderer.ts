// `jinja` as a stage of a pipe. Its one option, `-s`, says that the input is the template itself, which it always is
// here.
import { firstLine, renderError } from './errors.ts'
import { inputText } from './input-text.ts'
import { renderJinja } from './jinja.ts'
import type { Renderer } from './renderer.ts'

export const jinja: Renderer = {
  name: 'jinja',
  render: async (input, args, ctx) => {
    if (args !== '' && args !== '-s') throw renderError(`Unknown renderer option: ${args}`, { at: firstLine(ctx) })
    const { text, lines } = await renderJinja(inputText(input, 'jinja'), ctx)
    return { value: text, lines }
  },
}
