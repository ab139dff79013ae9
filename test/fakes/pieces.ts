/** A text in two pieces, as streams bring it; a character is never parted. */
export function halves(text: string): string[] {
  const characters = [...text];
  const middle = Math.ceil(characters.length / 2);
  return [characters.slice(0, middle).join(''), characters.slice(middle).join('')].filter((half) => half !== '');
}
