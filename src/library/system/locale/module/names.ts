// Names of locales: `language[_territory][.codeset][@modifier] [charmap]`.

export interface LocaleParts {
  language: string
  territory: string
  codeset: string
  modifier: string
  charmap: string
}

function cut(text: string, mark: string): [before: string, after: string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

export function splitLocale(locale: string): LocaleParts {
  const [name, charmap] = cut(locale, ' ')
  const [plain, modifier] = cut(name, '@')
  const [place, codeset] = cut(plain, '.')
  const [language, territory] = cut(place, '_')
  return { language, territory, codeset, modifier, charmap }
}

export function joinLocale({ language, territory, codeset, modifier, charmap }: LocaleParts): string {
  const part = (mark: string, text: string): string => (text === '' ? '' : mark + text)
  return language + part('_', territory) + part('.', codeset) + part('@', modifier) + part(' ', charmap)
}

/** Return a locale in the form of `locale -a`. */
export function normalLocale(locale: string): string {
  const parts = splitLocale(locale)
  return joinLocale({
    ...parts,
    territory: parts.territory.toUpperCase(),
    codeset: parts.codeset.toLowerCase().replaceAll('-', ''),
    charmap: '',
  })
}
