/**
 * A player of the demo's game who sees what is drawn, and presses Space: for runs of some seconds. In the page, before
 * its own scripts: boat and piers are read off the calls that draw them. Every frame is a sixtieth of a second of the
 * game, so that a busy machine shows it in slow motion instead of too coarse to be steered.
 */
export const PILOT = `(() => {
  const seen = { boat: undefined, heads: [] };
  const pen = CanvasRenderingContext2D.prototype;
  const { rotate, translate, roundRect } = pen;
  let moved;
  pen.translate = function (x, y) { moved = { x, y }; return translate.call(this, x, y); };
  // Only the boat is turned.
  pen.rotate = function (angle) { seen.boat = { ...moved, angle }; return rotate.call(this, angle); };
  pen.roundRect = function (x, y, width, height, radius) {
    if (width === 32 && height === 8) seen.heads.push({ x, y });
    return roundRect.call(this, x, y, width, height, radius);
  };
  const nextFrame = requestAnimationFrame;
  let frames = 0;
  globalThis.requestAnimationFrame = (call) => nextFrame(() => call((frames * 1000) / 60));
  const count = () => {
    frames += 1;
    nextFrame(count);
  };
  nextFrame(count);
  let isHeld = false;
  const press = (isDown) => {
    if (isDown === isHeld) return;
    isHeld = isDown;
    dispatchEvent(new KeyboardEvent(isDown ? 'keydown' : 'keyup', { code: 'Space', cancelable: true }));
  };
  const steer = () => {
    nextFrame(steer);
    const { boat, heads } = seen;
    seen.heads = [];
    if (!globalThis.isPiloted || !boat) return press(false);
    const ahead = heads.filter(({ x }) => x + 44 > boat.x).slice(0, 2);
    const middle = ahead.length < 2 ? 180 : (ahead[0].y + 8 + ahead[1].y) / 2;
    press(boat.y + Math.tan(boat.angle) * 48 > middle);
  };
  nextFrame(steer);
})()`;
