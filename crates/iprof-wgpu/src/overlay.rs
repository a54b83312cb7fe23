//! The overlay, and what draws it with wgpu.

use super::painter::Painter;
use iprof::overlay;
use std::fmt;
use std::ops::{Deref, DerefMut};
use wgpu::{Device, Queue, RenderPass, TextureFormat};

/// Draws the report, the graph, the help and the tooltip in a render pass of the host's.
///
/// It derefs to its [`overlay::Overlay`], which has what concerns no renderer. Each frame: [begin](overlay::Overlay::begin) a frame and
/// add its parts, [`prepare`](Overlay::prepare), [`render`](Overlay::render).
///
/// A draw is one draw call, and one upload of vertices. Once all characters and sizes have been seen, it allocates nothing
/// beside what wgpu does in these calls.
///
/// # Colors
///
/// On a target without conversion, such as `Bgra8Unorm`, the picture is that of OpenGL, within 1/255 of each channel.
/// Where the target converts from linear light (sRGB formats) or takes it (formats of floats), opaque parts are the
/// same, and what is translucent, letters and grounds, is blended in linear light, with an opacity that makes up for it:
/// channels differ by 3/255 on average at most, and by more than 24/255 in one of 200. To have the same picture there,
/// too, render the overlay in a pass of its own to a view of the texture in the format without conversion: configure the
/// surface with that format in `view_formats`, and create the view and the overlay with
/// [`TextureFormat::remove_srgb_suffix`].
pub struct Overlay {
    overlay: overlay::Overlay,
    painter: Painter,
}

impl fmt::Debug for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overlay")
            .field("overlay", &self.overlay)
            .field("painter", &self.painter)
            .finish()
    }
}

impl Deref for Overlay {
    type Target = overlay::Overlay;

    fn deref(&self) -> &overlay::Overlay {
        &self.overlay
    }
}

impl DerefMut for Overlay {
    fn deref_mut(&mut self) -> &mut overlay::Overlay {
        &mut self.overlay
    }
}

impl Overlay {
    /// Creates an overlay for render passes with one color attachment of that format and that many samples a pixel, 1
    /// for none, and without depth and stencil.
    ///
    /// # Panics
    ///
    /// As all of wgpu, by the device's error handler, if the device cannot render to that format with blending, or not
    /// with that many samples.
    #[must_use]
    pub fn new(device: &Device, queue: &Queue, format: TextureFormat, samples: u32) -> Overlay {
        Overlay::with_depth(device, queue, format, samples, None)
    }

    /// As [`new`](Overlay::new), for render passes that have a depth or stencil attachment of that format. The overlay
    /// neither tests nor changes it.
    #[must_use]
    pub fn with_depth(
        device: &Device,
        queue: &Queue,
        format: TextureFormat,
        samples: u32,
        depth: Option<TextureFormat>,
    ) -> Overlay {
        let overlay = overlay::Overlay::new();
        let atlas = overlay.draw_data().atlas();
        Overlay {
            painter: Painter::new(device, queue, atlas.size(), format, samples, depth),
            overlay,
        }
    }

    /// Uploads the current frame, which [`begin`](overlay::Overlay::begin) began: after its parts are added, before the
    /// commands with [`render`](Overlay::render) are submitted, and once for each submission.
    pub fn prepare(&mut self, device: &Device, queue: &Queue) {
        self.painter
            .prepare(device, queue, self.overlay.draw_data());
    }

    /// Draws what was prepared last.
    ///
    /// It sets the pass's viewport and scissor rectangle to the size that [`begin`](overlay::Overlay::begin) was given, which the
    /// attachment must have, and its pipeline, bind group 0, index buffer and vertex buffer 0.
    pub fn render(&self, pass: &mut RenderPass<'_>) {
        self.painter.render(pass);
    }
}
