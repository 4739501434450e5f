// Texts for functions of a machine over SSH. Templates run here, with functions that reach other machines. A text that
// the machine, or a caller without the rights of the master's owner, may have written is therefore not rendered as a
// template.
import { join, normalize } from 'node:path/posix'
import { type Asker, askedBy, asker } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { type Host, isWithin } from '../host/mod.ts'
import { type Rendered, type RenderOptions, renderText } from './pipeline.ts'

export interface TextOfFunction extends RenderOptions {
  text: string
  /** Path or URL of the file that the text was read from; without it the text is an argument. */
  from?: string | undefined
}

/** Render a text that is an argument of a function, or that the function has read. */
export function renderForFunction(host: Host, { text, from, ...options }: TextOfFunction): Promise<Rendered> {
  const who = host.remote === undefined ? asker() : whoseText(from, options.opts)
  return askedBy(who, () => renderText(text, options))
}

/** Return the author of a text. Copies of served files are in a cache of this machine, to which the other machine cannot write. */
function whoseText(from: string | undefined, opts: Dict): Asker {
  if (from === undefined) return asker() === 'owner' ? 'owner' : 'target'
  const isOfTree = from.startsWith('salt://') || isWithin(normalize(from), join(option(opts, 'cachedir'), 'files'))
  return isOfTree ? asker() : 'target'
}
