// Salt's renderers that cannot run here yet; the error for a text that uses one gives the reason.
import { firstLine, RenderError } from './errors.ts'
import type { Renderer } from './renderer.ts'

const PYTHON = ['cheetah', 'genshi', 'wempy']
const OTHER = ['pass', 'aws_kms', 'hjson', 'dson']

function absent(name: string, why: string): Renderer {
  return {
    name,
    render: (_input, _args, ctx) => {
      throw new RenderError('RendererUnavailable', `The renderer '${name}' ${why}`, { at: firstLine(ctx) })
    },
  }
}

export const absentRenderers: readonly Renderer[] = [
  ...PYTHON.map((name) => absent(name, 'needs a library of Python, and is not there')),
  ...OTHER.map((name) => absent(name, 'is not there yet')),
]
