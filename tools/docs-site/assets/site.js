// The parts of a page that need a script: the search, the menu of narrow screens, and the copy buttons. Pages can be read without it.
;(() => {
  const root = document.documentElement.dataset.root
  const field = document.getElementById('search')
  const list = document.getElementById('results')
  const count = document.getElementById('result-count')
  const MOST = 15
  let chosen = -1
  let loading

  /** Load the index at the first use of the search: it is larger than all else. */
  function loadIndex() {
    loading ??= new Promise((done) => {
      const script = document.createElement('script')
      script.src = `${root}search-index.js`
      script.onload = done
      document.head.append(script)
    })
    return loading
  }

  function choose(number) {
    const options = [...list.children]
    chosen = options.length === 0 ? -1 : (number + options.length) % options.length
    options.forEach((option, at) => option.setAttribute('aria-selected', String(at === chosen)))
    if (chosen >= 0) {
      field.setAttribute('aria-activedescendant', options[chosen].id)
      options[chosen].scrollIntoView({ block: 'nearest' })
    } else field.removeAttribute('aria-activedescendant')
  }

  function element(name, className, text) {
    const made = document.createElement(name)
    made.className = className
    made.textContent = text
    return made
  }

  /** Return the part of a text around the first word of the query. */
  function excerpt(text, query) {
    const at = Math.max(0, text.toLowerCase().indexOf(query.trim().toLowerCase().split(/\s+/)[0]) - 40)
    return (at > 0 ? '… ' : '') + text.slice(at, at + 160) + (at + 160 < text.length ? ' …' : '')
  }

  function show(found, query) {
    list.replaceChildren(
      ...found.map(([heading, page, address, text], at) => {
        const option = element('li', '', '')
        option.id = `result-${at}`
        option.role = 'option'
        option.dataset.address = root + address
        option.append(element('span', 'heading', heading), element('span', 'page', heading === page ? '' : page))
        if (text) option.append(element('span', 'excerpt', excerpt(text, query)))
        return option
      }),
    )
    const isOpen = query.trim() !== ''
    list.hidden = !isOpen || found.length === 0
    field.setAttribute('aria-expanded', String(!list.hidden))
    count.textContent = !isOpen ? '' : found.length === 0 ? 'Nothing found' : `${found.length} results`
    count.classList.toggle('hidden', !(isOpen && found.length === 0))
    choose(0)
  }

  async function search() {
    await loadIndex()
    show(globalThis.brineSearch(globalThis.brineIndex, field.value, MOST), field.value)
  }

  const open = (option) => {
    if (!option) return
    show([], '')
    location.href = option.dataset.address
  }

  field.addEventListener('focus', loadIndex)
  field.addEventListener('input', search)
  field.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1)
    else if (event.key === 'ArrowUp') choose(chosen - 1)
    else if (event.key === 'Enter') open(list.children[chosen])
    else if (event.key === 'Escape') {
      field.value = ''
      show([], '')
    } else return
    event.preventDefault()
  })
  list.addEventListener('mousedown', (event) => {
    event.preventDefault()
    open(event.target.closest('li'))
  })
  field.addEventListener('blur', () => show([], ''))
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || /^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return
    event.preventDefault()
    field.focus()
  })

  const menu = document.getElementById('menu')
  menu.addEventListener('click', () => {
    const isOpen = document.body.classList.toggle('menu-open')
    menu.setAttribute('aria-expanded', String(isOpen))
  })

  /** Return the commands of a block without prompts and output, or all of its text. */
  function textOf(block) {
    const commands = [...block.querySelectorAll('.command')].map((line) => line.textContent)
    return commands.length > 0 ? `${commands.join('\n')}\n` : block.textContent
  }

  for (const figure of document.querySelectorAll('figure.code')) {
    const button = element('button', 'copy', 'Copy')
    button.type = 'button'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(textOf(figure.querySelector('pre')))
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 1500)
    })
    figure.append(button)
  }
})()
