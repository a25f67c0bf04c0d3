//! [`Gallery`]: what the server can show.

use prall_scenes::{Simulation, UnknownScene};
use serde::Serialize;
use std::sync::Arc;

/// A scene that can be opened.
#[derive(Serialize)]
pub struct Entry {
    /// The name in addresses.
    pub name: String,
    /// The name that people read.
    pub title: String,
    /// One line.
    pub line: String,
    /// The band that it belongs to.
    pub group: String,
    /// Where it comes from.
    pub source: String,
    /// How large it is.
    pub size: String,
    /// A paragraph that teaches the physics.
    pub about: String,
    /// Its card's picture, relative to the page.
    pub picture: String,
    /// Builds it.
    #[serde(skip)]
    pub build: Box<dyn Fn() -> Box<dyn Simulation> + Send + Sync>,
}

/// Scenes by name.
#[derive(Default)]
pub struct Gallery(Vec<Arc<Entry>>);

impl Gallery {
    /// Every scene of `prall scenes`.
    pub fn standard() -> Gallery {
        let entry = |scene: &'static prall_scenes::Scene| Entry {
            name: scene.name.to_owned(),
            title: scene.title.to_owned(),
            line: scene.line.to_owned(),
            group: scene.group.to_owned(),
            source: scene.source.to_owned(),
            size: scene.size.to_owned(),
            about: scene.about.to_owned(),
            picture: format!("pictures/{}.png", scene.name),
            build: Box::new(|| scene.build()),
        };
        Gallery(prall_scenes::scenes().iter().map(entry).map(Arc::new).collect())
    }

    /// Adds a scene.
    pub fn with(mut self, entry: Entry) -> Gallery {
        self.0.push(Arc::new(entry));
        self
    }

    pub(super) fn entries(&self) -> Vec<&Entry> {
        self.0.iter().map(Arc::as_ref).collect()
    }

    pub(super) fn find(&self, name: &str) -> Result<Arc<Entry>, UnknownScene> {
        self.0.iter().find(|entry| entry.name == name).cloned().ok_or_else(|| {
            match prall_scenes::scene(name) {
                Err(unknown) => unknown,
                Ok(_) => UnknownScene { name: name.to_owned(), nearest: None },
            }
        })
    }
}
