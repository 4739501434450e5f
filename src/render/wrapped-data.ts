// Options, grains and pillar as templates get them. Salt wraps them in classes of its own, which error texts name; a
// template that changes its `pillar` changes a copy, which later templates of the same pillar see and functions do not.
import { type Dict, deepCopy, NamedDict, nameClass } from '../data/mod.ts'

const MODULE = 'salt.utils.optsdict'

const pillars = new WeakMap<Dict, NamedDict>()

export function pillarForTemplates(pillar: Dict): Dict {
  if (pillar instanceof NamedDict) return pillar
  let wrapped = pillars.get(pillar)
  if (!wrapped) {
    wrapped = new NamedDict(MODULE, 'DictProxy', deepCopy(pillar))
    pillars.set(pillar, wrapped)
  }
  return wrapped
}

/** After this, templates see the pillar as it is now. */
export function renewPillarForTemplates(pillar: Dict): void {
  pillars.delete(pillar)
}

/** Grains are the same dict for templates and functions; a text about one that is missing names Salt's class. */
export function nameGrains(grains: Dict): void {
  nameClass(grains, `${MODULE}.DictProxy`)
}

const options = new WeakMap<Dict, NamedDict>()

/** Options are taken as they are when the first template asks for them. */
export function optsForTemplates(opts: Dict): Dict {
  if (opts instanceof NamedDict) return opts
  let wrapped = options.get(opts)
  if (!wrapped) {
    wrapped = new NamedDict(MODULE, 'OptsDict')
    for (const [name, value] of opts) {
      wrapped.set(name, value instanceof Map ? new NamedDict(MODULE, 'DictProxy', value) : value)
    }
    options.set(opts, wrapped)
  }
  return wrapped
}
