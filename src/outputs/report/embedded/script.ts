/**
 * What runs in the page: the table of events can be sorted and searched, and what is folded away is printed. Without it the page
 * tells the same.
 */
export const SCRIPT = `
(() => {
  'use strict';
  const plain = (text) => text.normalize('NFKD').replace(/\\p{M}/gu, '').toLowerCase();
  const number = (text) => {
    const digits = text.replace(/,/g, '').replace('\\u2212', '-').trim();
    return digits === '' || Number.isNaN(Number(digits)) ? null : Number(digits);
  };
  const compare = (a, b) => (typeof a === 'number' ? a - b : a < b ? -1 : a > b ? 1 : 0);

  function sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    const body = table.tBodies[0];
    const valueOf = (row, at) => {
      const cell = row.cells[at];
      if (heads[at].classList.contains('number')) return number(cell.textContent);
      if (heads[at].classList.contains('time')) {
        const time = cell.querySelector('time');
        return time === null ? null : Date.parse(time.dateTime);
      }
      return plain(cell.textContent.trim()) || null;
    };
    heads.forEach((head, at) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener('click', () => {
        const falling = head.getAttribute('aria-sort') === 'ascending'
          || (!head.hasAttribute('aria-sort') && head.classList.contains('number'));
        for (const other of heads) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
        const rows = [...body.rows].map((row) => ({ row, value: valueOf(row, at) }));
        rows.sort((a, b) => a.value === null || b.value === null
          ? Number(a.value === null) - Number(b.value === null)
          : falling ? compare(b.value, a.value) : compare(a.value, b.value));
        body.append(...rows.map(({ row }) => row));
      });
    });
  }

  function searchable(search, table) {
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, text: plain(row.textContent) }));
    const status = search.querySelector('[role=status]');
    search.querySelector('input').addEventListener('input', ({ target }) => {
      const words = plain(target.value).split(/\\s+/).filter(Boolean);
      let found = 0;
      for (const { row, text } of rows) {
        row.hidden = !words.every((word) => text.includes(word));
        if (!row.hidden) found += 1;
      }
      status.textContent = words.length === 0 ? '' : found + ' of ' + rows.length;
    });
    search.hidden = false;
  }

  for (const table of document.querySelectorAll('table.sortable')) sortable(table);
  for (const search of document.querySelectorAll('.search')) {
    searchable(search, document.getElementById(search.dataset.table));
  }

  let unfolded = [];
  addEventListener('beforeprint', () => {
    unfolded = [...document.querySelectorAll('details:not([open])')];
    for (const details of unfolded) details.open = true;
  });
  addEventListener('afterprint', () => {
    for (const details of unfolded) details.open = false;
  });
})();
`.trim()
